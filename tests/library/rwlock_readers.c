// Who has a lock for reading is known: thread by thread, lock by lock.
// __library_read_begins, __library_read_ends
//
// expect assertions: SAFE
// expect deadlocks: SAFE
// expect mutex: SAFE
// expect -D FOREIGN mutex: UNSAFE
// expect -D OTHER mutex: UNSAFE

#include <assert.h>
#include <pthread.h>

static pthread_rwlock_t one = PTHREAD_RWLOCK_INITIALIZER;
static pthread_rwlock_t two = PTHREAD_RWLOCK_INITIALIZER;

static void *work(void *unused)
{
    pthread_rwlock_rdlock(&two);
#ifdef OTHER
    pthread_rwlock_unlock(&one);
#endif
    pthread_rwlock_rdlock(&two);
    pthread_rwlock_unlock(&two);
    pthread_rwlock_unlock(&two);
#ifdef FOREIGN
    pthread_rwlock_unlock(&one);
#endif
    return NULL;
}

int main(void)
{
    pthread_t thread;
    pthread_rwlock_rdlock(&one);
    pthread_create(&thread, NULL, work, NULL);
    pthread_rwlock_rdlock(&two);
    pthread_rwlock_unlock(&one);
    pthread_join(thread, NULL);
    assert(pthread_rwlock_trywrlock(&two) != 0);
    pthread_rwlock_unlock(&two);
    assert(pthread_rwlock_trywrlock(&two) == 0);
    return 0;
}
