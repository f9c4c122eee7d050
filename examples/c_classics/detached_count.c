// Detached threads count themselves out; main waits for zero; with BUG a thread counts itself out before its last access.
//
// expect races: SAFE
// expect -D BUG races: UNSAFE

#include <pthread.h>

#define N 3
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t zero = PTHREAD_COND_INITIALIZER;
static int running;
static int results[N];

static void *worker(void *argument)
{
    int *mine = argument;
#ifndef BUG
    *mine = 1;
#endif
    pthread_mutex_lock(&lock);
    running--;
    if (running == 0)
        pthread_cond_signal(&zero);
    pthread_mutex_unlock(&lock);
#ifdef BUG
    *mine = 1;
#endif
    return NULL;
}

int main(void)
{
    running = N;
    for (int i = 0; i < N; i++) {
        pthread_t t;
        pthread_create(&t, NULL, worker, &results[i]);
        pthread_detach(t);
    }
    pthread_mutex_lock(&lock);
    while (running > 0)
        pthread_cond_wait(&zero, &lock);
    pthread_mutex_unlock(&lock);
    int sum = 0;
    for (int i = 0; i < N; i++)
        sum += results[i];
    return sum;
}
