// A mutex has the kind that its attributes say. A locked one must not be initialised.
//
// expect assertions: SAFE
// expect mutex: SAFE
// expect -D LOCKED mutex: UNSAFE
// expect -D ROBUST assertions: UNKNOWN

#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_mutex_t normal, recursive, again;

int main(void)
{
    int kind, shared;
    pthread_mutexattr_t attributes;
    assert(pthread_mutex_init(&normal, NULL) == 0);
    assert(pthread_mutexattr_init(&attributes) == 0);
    assert(pthread_mutexattr_gettype(&attributes, &kind) == 0 && kind == PTHREAD_MUTEX_DEFAULT);
    assert(pthread_mutexattr_settype(&attributes, 77) == EINVAL);
    assert(pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE) == 0);
    assert(pthread_mutexattr_gettype(&attributes, &kind) == 0 && kind == PTHREAD_MUTEX_RECURSIVE);
    assert(pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_PRIVATE) == 0);
    assert(pthread_mutexattr_getpshared(&attributes, &shared) == 0 && shared == 0);
    assert(pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_NONE) == 0);
    assert(pthread_mutexattr_setprioceiling(&attributes, 1) == 0);
#ifdef ROBUST
    assert(pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST) == 0);
#else
    assert(pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_STALLED) == 0);
#endif
    pthread_mutex_init(&recursive, &attributes);
    assert(pthread_mutex_lock(&recursive) == 0 && pthread_mutex_lock(&recursive) == 0);
    assert(pthread_mutexattr_setkind_np(&attributes, PTHREAD_MUTEX_ERRORCHECK) == 0);
    pthread_mutex_init(&again, &attributes);
    assert(pthread_mutex_lock(&again) == 0 && pthread_mutex_lock(&again) == EDEADLK);
    assert(pthread_mutexattr_destroy(&attributes) == 0);
#ifdef LOCKED
    pthread_mutex_lock(&normal);
    pthread_mutex_init(&normal, NULL);
#endif
    return 0;
}
