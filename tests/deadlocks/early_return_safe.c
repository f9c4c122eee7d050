/* Releases the lock on the way out. */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include "background.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int failed = 1;

static void *careless(void *argument)
{
    (void)argument;
    pthread_mutex_lock(&lock);
    if (failed) {
        pthread_mutex_unlock(&lock);
        return 0;
    }
    pthread_mutex_unlock(&lock);
    return 0;
}

static void *other(void *argument)
{
    (void)argument;
    SLOWLY;
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return 0;
}

int main(void)
{
    pthread_t first, second;
    start_background();
    pthread_create(&first, 0, careless, 0);
    pthread_create(&second, 0, other, 0);
    pthread_join(first, 0);
    pthread_join(second, 0);
    return 0;
}
