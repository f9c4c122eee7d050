/* A pool that is told to stop. */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include "background.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work = PTHREAD_COND_INITIALIZER;
static int queued, stopping;

static void *worker(void *argument)
{
    (void)argument;
    while (1) {
        pthread_mutex_lock(&lock);
        while (queued == 0 && !stopping)
            pthread_cond_wait(&work, &lock);
        if (queued == 0) {
            pthread_mutex_unlock(&lock);
            return 0;
        }
        queued--;
        pthread_mutex_unlock(&lock);
    }
}

int main(void)
{
    pthread_t first, second;
    start_background();
    pthread_create(&first, 0, worker, 0);
    pthread_create(&second, 0, worker, 0);
    SLOWLY;
    pthread_mutex_lock(&lock);
    queued++;
    pthread_cond_signal(&work);
    pthread_mutex_unlock(&lock);
    SLOWLY;
    pthread_mutex_lock(&lock);
    stopping = 1;
    pthread_cond_broadcast(&work);
    pthread_mutex_unlock(&lock);
    pthread_join(first, 0);
    pthread_join(second, 0);
    return 0;
}
