/* A reader who asks for the write lock while it reads. */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include "background.h"

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int value;

static void *update(void *argument)
{
    (void)argument;
    pthread_rwlock_rdlock(&lock);
    int seen = value;
    SLOWLY;
    pthread_rwlock_wrlock(&lock);
    value = seen + 1;
    pthread_rwlock_unlock(&lock);
    pthread_rwlock_unlock(&lock);
    return 0;
}

int main(void)
{
    pthread_t first, second;
    start_background();
    pthread_create(&first, 0, update, 0);
    pthread_create(&second, 0, update, 0);
    pthread_join(first, 0);
    pthread_join(second, 0);
    return 0;
}
