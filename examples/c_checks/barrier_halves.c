// Each thread reads the other's number behind a barrier; with RACY: there is no barrier.
//
// expect races: SAFE
// expect -D RACY races: UNSAFE

#include <pthread.h>
static pthread_barrier_t bar;
static int left[2], right[2];
static void *worker(void *arg)
{
    long me = (long)arg;
    left[me] = (int)me + 1;
#ifndef RACY
    pthread_barrier_wait(&bar);
#endif
    right[me] = left[1 - me];
    return NULL;
}
int main(void)
{
    pthread_t a, b;
    pthread_barrier_init(&bar, NULL, 2);
    pthread_create(&a, NULL, worker, (void *)0);
    pthread_create(&b, NULL, worker, (void *)1);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return right[0] + right[1];
}
