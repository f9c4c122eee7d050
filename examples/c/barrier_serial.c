// Exactly one thread of a round is told that it is the serial one.
//
// expect assertions: SAFE
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
    if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD)
        atomic_fetch_add(&serial, 1);
    return NULL;
}

int main(void)
{
    pthread_t first, second;
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&first, NULL, work, NULL);
    pthread_create(&second, NULL, work, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    assert(atomic_load(&serial) == 1);
    return 0;
}
