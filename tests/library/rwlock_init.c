// A lock made by pthread_rwlock_init is free and of the kind that was chosen.
//
// expect assertions: SAFE
// expect deadlocks: SAFE
// expect mutex: SAFE
// expect -D KIND=PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP deadlocks: UNSAFE
// expect -D LOCKED mutex: UNSAFE

#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#ifndef KIND
#define KIND PTHREAD_RWLOCK_PREFER_WRITER_NP
#endif

static void *write(void *lock)
{
    assert(pthread_rwlock_wrlock(lock) == 0);
    assert(pthread_rwlock_unlock(lock) == 0);
    return NULL;
}

int main(void)
{
    int kind = 0;
    pthread_t writer;
    pthread_rwlockattr_t attributes;
    assert(pthread_rwlockattr_init(&attributes) == 0);
    assert(pthread_rwlockattr_setpshared(&attributes, PTHREAD_PROCESS_PRIVATE) == 0);
    assert(pthread_rwlockattr_setkind_np(&attributes, 3) == EINVAL);
    assert(pthread_rwlockattr_setkind_np(&attributes, KIND) == 0);
    assert(pthread_rwlockattr_getkind_np(&attributes, &kind) == 0 && kind == KIND);
    pthread_rwlock_t *fresh = malloc(sizeof *fresh);
    if (!fresh)
        return 1;
    assert(pthread_rwlock_init(fresh, &attributes) == 0);
    assert(pthread_rwlockattr_destroy(&attributes) == 0);
    assert(pthread_rwlock_trywrlock(fresh) == 0);
#ifdef LOCKED
    pthread_rwlock_init(fresh, NULL);
#endif
    assert(pthread_rwlock_unlock(fresh) == 0);
    pthread_create(&writer, NULL, write, fresh);
    assert(pthread_rwlock_rdlock(fresh) == 0);
    assert(pthread_rwlock_rdlock(fresh) == 0);
    assert(pthread_rwlock_unlock(fresh) == 0);
    assert(pthread_rwlock_unlock(fresh) == 0);
    pthread_join(writer, NULL);
    return 0;
}
