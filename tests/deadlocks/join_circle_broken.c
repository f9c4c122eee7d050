/* Joins a thread that needs the lock that it has. */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include "background.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int done;

static void *worker(void *argument)
{
    (void)argument;
    SLOWLY;
    pthread_mutex_lock(&lock);
    done = 1;
    pthread_mutex_unlock(&lock);
    return 0;
}

int main(void)
{
    pthread_t thread;
    start_background();
    pthread_create(&thread, 0, worker, 0);
    pthread_mutex_lock(&lock);
    pthread_join(thread, 0);
    pthread_mutex_unlock(&lock);
    return 0;
}
