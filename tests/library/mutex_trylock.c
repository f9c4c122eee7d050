// trylock takes a free mutex; one that is locked is busy, even for its owner unless recursive.
//
// expect assertions: SAFE
// expect races: SAFE
// expect deadlocks: SAFE
// expect -D ALWAYS assertions: UNSAFE

#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t counting = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static int shared;

static void *work(void *unused)
{
    int result = pthread_mutex_trylock(&mutex);
    assert(result == 0 || result == EBUSY);
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
    pthread_t other;
    pthread_create(&other, NULL, work, NULL);
    assert(pthread_mutex_lock(&mutex) == 0);
    shared++;
    assert(pthread_mutex_trylock(&mutex) == EBUSY);
    pthread_mutex_unlock(&mutex);
    pthread_join(other, NULL);
    assert(pthread_mutex_trylock(&counting) == 0);
    assert(pthread_mutex_trylock(&counting) == 0);
    pthread_mutex_unlock(&counting);
    pthread_mutex_unlock(&counting);
    assert(pthread_mutex_unlock(&counting) == EPERM);
    return 0;
}
