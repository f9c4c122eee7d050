// A condition variable may be destroyed as soon as all who waited were woken, not before.
//
// expect mutex: SAFE
// expect deadlocks: SAFE
// expect -D ASLEEP mutex: UNSAFE

#include <assert.h>
#include <errno.h>
#include <pthread.h>

static int ready;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static void *wait(void *unused)
{
    pthread_mutex_lock(&lock);
    while (!ready)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, wait, NULL);
    pthread_mutex_lock(&lock);
    ready = 1;
#ifndef ASLEEP
    pthread_cond_broadcast(&changed);
#endif
    pthread_mutex_unlock(&lock);
    assert(pthread_cond_destroy(&changed) == 0);
    pthread_join(thread, NULL);
    return 0;
}
