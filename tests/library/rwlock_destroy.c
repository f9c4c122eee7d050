// A lock that somebody has must not be destroyed.
//
// expect mutex: SAFE
// expect -D READ mutex: UNSAFE
// expect -D WRITTEN mutex: UNSAFE

#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

int main(void)
{
    pthread_rwlock_rdlock(&lock);
#ifndef READ
    pthread_rwlock_unlock(&lock);
#endif
#ifdef WRITTEN
    pthread_rwlock_wrlock(&lock);
#endif
    assert(pthread_rwlock_destroy(&lock) == 0);
    return 0;
}
