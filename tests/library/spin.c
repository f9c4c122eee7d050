// Spin locks exclude; who has one must not initialise or destroy it.
//
// expect assertions: SAFE
// expect races: SAFE
// expect mutex: SAFE
// expect -D AGAIN mutex: UNSAFE
// expect -D HELD mutex: UNSAFE
// expect -D TWICE deadlocks: UNSAFE

#include <assert.h>
#include <errno.h>
#include <pthread.h>

static int shared;
static pthread_spinlock_t lock;

static void *work(void *unused)
{
    assert(pthread_spin_lock(&lock) == 0);
    shared++;
    assert(pthread_spin_unlock(&lock) == 0);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    assert(pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE) == 0);
    pthread_create(&thread, NULL, work, NULL);
    work(NULL);
    pthread_join(thread, NULL);
    assert(shared == 2);
    assert(pthread_spin_trylock(&lock) == 0);
    assert(pthread_spin_trylock(&lock) == EBUSY);
#ifdef AGAIN
    pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
#endif
#ifdef TWICE
    pthread_spin_lock(&lock);
#endif
#ifndef HELD
    pthread_spin_unlock(&lock);
#endif
    assert(pthread_spin_destroy(&lock) == 0);
    return 0;
}
