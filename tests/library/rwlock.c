// Readers together, a writer alone; unlocking what is not locked is misuse.
//
// expect assertions: SAFE
// expect races: SAFE
// expect deadlocks: SAFE
// expect mutex: SAFE
// expect -D TOGETHER assertions: UNSAFE
// expect -D FREE mutex: UNSAFE
// expect -D UPGRADE deadlocks: UNSAFE

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>

static int shared;
static atomic_int readers;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void *read(void *unused)
{
    assert(pthread_rwlock_rdlock(&lock) == 0);
    assert(shared != 1);
    atomic_fetch_add(&readers, 1);
#ifdef TOGETHER
    assert(atomic_load(&readers) < 2);
#endif
    atomic_fetch_sub(&readers, 1);
    assert(pthread_rwlock_unlock(&lock) == 0);
    return NULL;
}

int main(void)
{
    pthread_t first, second;
    pthread_create(&first, NULL, read, NULL);
    pthread_create(&second, NULL, read, NULL);
#ifdef UPGRADE
    pthread_rwlock_rdlock(&lock);
#endif
    assert(pthread_rwlock_wrlock(&lock) == 0);
    assert(pthread_rwlock_wrlock(&lock) == EDEADLK);
    assert(pthread_rwlock_rdlock(&lock) == EDEADLK);
    assert(atomic_load(&readers) == 0);
    shared = 1;
    shared = 2;
    assert(pthread_rwlock_unlock(&lock) == 0);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
#ifdef FREE
    pthread_rwlock_unlock(&lock);
#endif
    return 0;
}
