/* A barrier for one more than come. */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include "background.h"

static pthread_barrier_t barrier;

static void *worker(void *argument)
{
    (void)argument;
    pthread_barrier_wait(&barrier);
    return 0;
}

int main(void)
{
    pthread_t first, second;
    start_background();
    pthread_barrier_init(&barrier, 0, 3);
    pthread_create(&first, 0, worker, 0);
    pthread_create(&second, 0, worker, 0);
    pthread_join(first, 0);
    pthread_join(second, 0);
    return 0;
}
