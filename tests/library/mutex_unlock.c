// Only the owner may unlock: a mutex failure for a normal mutex, EPERM for the others.
//
// expect assertions: SAFE
// expect mutex: SAFE
// expect -D FREE mutex: UNSAFE
// expect -D OTHERS mutex: UNSAFE

#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t counting = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

static void *work(void *unused)
{
    assert(pthread_mutex_unlock(&counting) == EPERM);
#ifdef OTHERS
    pthread_mutex_unlock(&mutex);
#endif
    return NULL;
}

int main(void)
{
    pthread_t other;
#ifdef FREE
    pthread_mutex_unlock(&mutex);
#endif
    assert(pthread_mutex_unlock(&counting) == EPERM);
    pthread_mutex_lock(&mutex);
    pthread_mutex_lock(&counting);
    pthread_create(&other, NULL, work, NULL);
    pthread_join(other, NULL);
    assert(pthread_mutex_unlock(&counting) == 0);
    assert(pthread_mutex_unlock(&mutex) == 0);
    return 0;
}
