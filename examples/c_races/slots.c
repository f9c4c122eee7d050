// Eight threads fill a slot each; `main` reads them after it has joined all.
//
// expect races: SAFE

#include <pthread.h>
#include <stdlib.h>

#define THREADS 8

static int result[THREADS];

static void *work(void *argument) {
    long i = (long)argument;
    result[i] = i * i;
    return 0;
}

int main(void) {
    pthread_t threads[THREADS];
    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], 0, work, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], 0);
    int sum = 0;
    for (int i = 0; i < THREADS; i++)
        sum += result[i];
    return sum;
}
