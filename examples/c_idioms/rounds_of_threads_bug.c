// In every round all threads are started and all joined; between rounds the parent works alone.
// Wrong here: the threads write the values that their neighbours read.
//
// expect races: UNSAFE

#include <pthread.h>
#include <stdlib.h>

#define THREADS 2
#define ROUNDS 3

static int old[THREADS + 2], new[THREADS + 2];

static void *smooth(void *argument)
{
    long i = (long)argument;
    old[i] = (old[i - 1] + old[i + 1]) / 2;
    new[i] = old[i];
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    old[0] = 8;
    for (int round = 0; round < ROUNDS; round++) {
        for (long i = 0; i < THREADS; i++)
            if (pthread_create(&threads[i], NULL, smooth, (void *)(i + 1)) != 0)
                abort();
        for (int i = 0; i < THREADS; i++)
            pthread_join(threads[i], NULL);
        for (int i = 1; i <= THREADS; i++)
            old[i] = new[i];
    }
    return old[1] > 0 ? 0 : 1;
}
