// A lock excludes others. Its owner waits forever (normal), counts, or gets EDEADLK.
//
// expect assertions: SAFE
// expect races: SAFE
// expect deadlocks: SAFE
// expect -D TWICE deadlocks: UNSAFE
// expect -D TWICE assertions: SAFE

#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_mutex_t zero;
static pthread_mutex_t counting = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_mutex_t checking = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static int shared;

static void *work(void *mutex)
{
    assert(pthread_mutex_lock(mutex) == 0);
    shared++;
    assert(pthread_mutex_unlock(mutex) == 0);
    return NULL;
}

int main(void)
{
    pthread_t other;
    pthread_create(&other, NULL, work, &zero);
    work(&zero);
    pthread_join(other, NULL);
    assert(shared == 2);
    pthread_create(&other, NULL, work, &counting);
    assert(pthread_mutex_lock(&counting) == 0);
    assert(pthread_mutex_lock(&counting) == 0);
    shared++;
    assert(pthread_mutex_unlock(&counting) == 0);
    shared++;
    assert(pthread_mutex_unlock(&counting) == 0);
    pthread_join(other, NULL);
    assert(shared == 5);
    assert(pthread_mutex_lock(&checking) == 0);
    assert(pthread_mutex_lock(&checking) == EDEADLK);
#ifdef TWICE
    pthread_mutex_lock(&zero);
    pthread_mutex_lock(&zero);
    assert(0);
#endif
    return 0;
}
