// The bug: the test is the wrong way round, and counts the others: with three threads, two of
// them. The correct program is barrier_serial.c.
//
// expect assertions: UNSAFE
// expect races: SAFE
// expect deadlocks: SAFE
// expect mutex: SAFE

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int serial;
static pthread_barrier_t barrier;

static void *work(void *unused)
{
    if (pthread_barrier_wait(&barrier) != PTHREAD_BARRIER_SERIAL_THREAD)
        atomic_fetch_add(&serial, 1);
    return NULL;
}

int main(void)
{
    pthread_t first, second, third;
    pthread_barrier_init(&barrier, NULL, 3);
    pthread_create(&first, NULL, work, NULL);
    pthread_create(&second, NULL, work, NULL);
    pthread_create(&third, NULL, work, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    pthread_join(third, NULL);
    assert(atomic_load(&serial) == 1);
    return 0;
}
