// A lock made by pthread_rwlock_init is free; attributes have no effect.
//
// expect assertions: SAFE
// expect mutex: SAFE
// expect -D LOCKED mutex: UNSAFE

#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

int main(void)
{
    pthread_rwlockattr_t attributes;
    assert(pthread_rwlockattr_init(&attributes) == 0);
    assert(pthread_rwlockattr_setpshared(&attributes, PTHREAD_PROCESS_PRIVATE) == 0);
    assert(pthread_rwlockattr_setkind_np(&attributes, PTHREAD_RWLOCK_PREFER_WRITER_NP) == 0);
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
    return 0;
}
