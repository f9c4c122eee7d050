// Trying, and trying for some time: busy only if there is a writer, or (for writing) a reader.
//
// expect assertions: SAFE
// expect mutex: SAFE

#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void *during_reading(void *unused)
{
    struct timespec until = { 1, 0 };
    assert(pthread_rwlock_trywrlock(&lock) == EBUSY);
    assert(pthread_rwlock_timedwrlock(&lock, &until) == ETIMEDOUT);
    assert(pthread_rwlock_tryrdlock(&lock) == 0);
    assert(pthread_rwlock_timedrdlock(&lock, &until) == 0);
    pthread_rwlock_unlock(&lock);
    pthread_rwlock_unlock(&lock);
    return NULL;
}

static void *during_writing(void *unused)
{
    struct timespec until = { 1, 0 };
    assert(pthread_rwlock_trywrlock(&lock) == EBUSY);
    assert(pthread_rwlock_timedwrlock(&lock, &until) == ETIMEDOUT);
    assert(pthread_rwlock_tryrdlock(&lock) == EBUSY);
    assert(pthread_rwlock_timedrdlock(&lock, &until) == ETIMEDOUT);
    return NULL;
}

int main(void)
{
    struct timespec until = { 1, 0 };
    pthread_t thread;
    assert(pthread_rwlock_tryrdlock(&lock) == 0);
    pthread_create(&thread, NULL, during_reading, NULL);
    pthread_join(thread, NULL);
    pthread_rwlock_unlock(&lock);
    assert(pthread_rwlock_trywrlock(&lock) == 0);
    pthread_create(&thread, NULL, during_writing, NULL);
    pthread_join(thread, NULL);
    assert(pthread_rwlock_timedwrlock(&lock, &until) == EDEADLK);
    assert(pthread_rwlock_timedrdlock(&lock, &until) == EDEADLK);
    pthread_rwlock_unlock(&lock);
    assert(pthread_rwlock_timedwrlock(&lock, &until) == 0);
    assert(pthread_rwlock_unlock(&lock) == 0);
    assert(pthread_rwlock_clockwrlock(&lock, CLOCK_MONOTONIC, &until) == 0);
    assert(pthread_rwlock_clockrdlock(&lock, CLOCK_MONOTONIC, &until) == EDEADLK);
    pthread_rwlock_unlock(&lock);
    return 0;
}
