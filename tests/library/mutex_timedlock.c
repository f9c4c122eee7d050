// A timed lock gives up only while somebody has the mutex.
// pthread_mutex_timedlock, pthread_mutex_clocklock
//
// expect assertions: SAFE
// expect races: SAFE
// expect deadlocks: SAFE
// expect -D ALWAYS assertions: UNSAFE

#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t checking = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static int shared;

static void *work(void *unused)
{
    struct timespec until = { 1, 0 };
    int result = pthread_mutex_timedlock(&mutex, &until);
    assert(result == 0 || result == ETIMEDOUT);
#ifdef ALWAYS
    assert(result == 0);
#endif
    if (result == 0) {
        shared++;
        pthread_mutex_unlock(&mutex);
    }
    return NULL;
}

int main(void)
{
    struct timespec until = { 1, 0 };
    pthread_t other;
    assert(pthread_mutex_timedlock(&mutex, &until) == 0);
    pthread_create(&other, NULL, work, NULL);
    shared++;
    assert(pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &until) == ETIMEDOUT);
    pthread_mutex_unlock(&mutex);
    pthread_join(other, NULL);
    pthread_mutex_lock(&checking);
    assert(pthread_mutex_timedlock(&checking, &until) == EDEADLK);
    return 0;
}
