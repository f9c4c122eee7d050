// A timed wait ends by a signal or, at any moment, without; it has the mutex again in both cases.
// pthread_cond_timedwait, pthread_cond_clockwait
//
// expect assertions: SAFE
// expect races: SAFE
// expect deadlocks: SAFE
// expect mutex: SAFE
// expect -D SIGNALLED assertions: UNSAFE
// expect -D TIMED_OUT assertions: UNSAFE

#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static int shared;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static void *work(void *unused)
{
    pthread_mutex_lock(&lock);
    shared++;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    struct timespec until = { 1, 0 };
    pthread_create(&thread, NULL, work, NULL);
    pthread_mutex_lock(&lock);
    int before = shared;
    int result = pthread_cond_timedwait(&changed, &lock, &until);
    assert(result == 0 || result == ETIMEDOUT);
    assert(result != 0 || (before == 0 && shared == 1));
#ifdef SIGNALLED
    assert(result == 0);
#endif
#ifdef TIMED_OUT
    assert(result == ETIMEDOUT);
#endif
    shared++;
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    assert(shared == 2);
    pthread_mutex_lock(&lock);
    assert(pthread_cond_clockwait(&changed, &lock, CLOCK_MONOTONIC, &until) == ETIMEDOUT);
    pthread_mutex_unlock(&lock);
    return 0;
}
