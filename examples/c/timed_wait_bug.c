// The bug: it is taken for granted that the wait did not end by the time limit. The correct
// program is timed_wait.c.
//
// expect assertions: UNSAFE
// expect races: SAFE
// expect deadlocks: SAFE
// expect mutex: SAFE

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

static int ready;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static void *work(void *unused)
{
    pthread_mutex_lock(&lock);
    ready = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t worker;
    struct timespec until = { 1, 0 };
    int result = 0;
    pthread_create(&worker, NULL, work, NULL);
    pthread_mutex_lock(&lock);
    while (!ready && result != ETIMEDOUT)
        result = pthread_cond_timedwait(&changed, &lock, &until);
    assert(ready);
    pthread_mutex_unlock(&lock);
    pthread_join(worker, NULL);
    return 0;
}
