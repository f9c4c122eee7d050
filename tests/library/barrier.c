// Rounds do not mix, and any one thread of each round is the serial one.
//
// expect assertions: SAFE
// expect races: SAFE
// expect deadlocks: SAFE
// expect -D MAIN assertions: UNSAFE
// expect -D OTHER assertions: UNSAFE
// expect -D MISSING deadlocks: UNSAFE

#include <assert.h>
#include <errno.h>
#include <pthread.h>

static int place, serial[2];
static pthread_barrier_t barrier;

static void *work(void *unused)
{
    place = 1;
    serial[0] = pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD;
#ifndef MISSING
    pthread_barrier_wait(&barrier);
#endif
    assert(place == 2);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    pthread_barrierattr_t attributes;
    assert(pthread_barrierattr_init(&attributes) == 0);
    assert(pthread_barrierattr_setpshared(&attributes, PTHREAD_PROCESS_PRIVATE) == 0);
    assert(pthread_barrier_init(&barrier, &attributes, 0) == EINVAL);
    assert(pthread_barrier_init(&barrier, &attributes, 2) == 0);
    assert(pthread_barrierattr_destroy(&attributes) == 0);
    pthread_create(&thread, NULL, work, NULL);
    serial[1] = pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD;
    assert(place == 1);
    place = 2;
    pthread_barrier_wait(&barrier);
    pthread_join(thread, NULL);
    assert(serial[0] + serial[1] == 1);
#ifdef MAIN
    assert(serial[0]);
#endif
#ifdef OTHER
    assert(serial[1]);
#endif
    return 0;
}
