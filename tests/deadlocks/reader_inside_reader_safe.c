/* A reader inside a reader: nobody is preferred. */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include "background.h"

static pthread_rwlock_t lock;
static int value;

static void *reader(void *argument)
{
    (void)argument;
    pthread_rwlock_rdlock(&lock);
    SLOWLY;
    pthread_rwlock_rdlock(&lock);
    pthread_rwlock_unlock(&lock);
    pthread_rwlock_unlock(&lock);
    return 0;
}

static void *writer(void *argument)
{
    (void)argument;
    pthread_rwlock_wrlock(&lock);
    value = 1;
    pthread_rwlock_unlock(&lock);
    return 0;
}

int main(void)
{
    pthread_t first, second;
    start_background();
    pthread_rwlock_init(&lock, 0);
    pthread_create(&first, 0, reader, 0);
    pthread_create(&second, 0, writer, 0);
    pthread_join(first, 0);
    pthread_join(second, 0);
    return 0;
}
