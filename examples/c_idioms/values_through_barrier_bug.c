// All threads write their part, wait at a barrier, and read each other's. Wrong here: a thread
// changes its part once more behind the barrier.
//
// expect races: UNSAFE

#include <pthread.h>
#include <stdlib.h>

#define THREADS 2

static pthread_barrier_t barrier;
static int part[THREADS];
static int total[THREADS];

static void *compute(void *argument)
{
    long me = (long)argument;
    part[me] = 10 + me;
    pthread_barrier_wait(&barrier);
    int sum = 0;
    for (int i = 0; i < THREADS; i++)
        sum += part[i];
    total[me] = sum;
    part[me] = 0;
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    pthread_barrier_init(&barrier, NULL, THREADS);
    for (long i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, compute, (void *)i) != 0)
            abort();
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    pthread_barrier_destroy(&barrier);
    return total[0] == total[1] ? 0 : 1;
}
