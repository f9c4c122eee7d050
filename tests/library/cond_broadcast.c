// A broadcast wakes all those that wait, and nobody who comes later.
//
// expect assertions: SAFE
// expect deadlocks: SAFE
// expect -D LATER deadlocks: UNSAFE
// expect -D LATER assertions: SAFE

#include <assert.h>
#include <errno.h>
#include <pthread.h>

static int waiting, woken, sent;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static void *wait(void *unused)
{
    pthread_mutex_lock(&lock);
    waiting++;
#ifndef LATER
    if (!sent)
#endif
        pthread_cond_wait(&changed, &lock);
    woken++;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t first, second;
    pthread_create(&first, NULL, wait, NULL);
    pthread_create(&second, NULL, wait, NULL);
    pthread_mutex_lock(&lock);
    sent = 1;
    assert(pthread_cond_broadcast(&changed) == 0);
    assert(woken == 0);
    pthread_mutex_unlock(&lock);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    assert(woken == 2);
    return 0;
}
