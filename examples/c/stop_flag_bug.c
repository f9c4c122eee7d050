// The bug: main looks at the result before the thread has stopped. The correct program is
// stop_flag.c.
//
// expect assertions: SAFE
// expect races: UNSAFE
// expect deadlocks: SAFE
// expect mutex: SAFE

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_bool stop;
static int rounds;

static void *work(void *unused)
{
    while (!atomic_load(&stop))
        rounds = (rounds + 1) % 3;
    return NULL;
}

int main(void)
{
    pthread_t worker;
    pthread_create(&worker, NULL, work, NULL);
    atomic_store(&stop, 1);
    assert(rounds < 3);
    pthread_join(worker, NULL);
    return 0;
}
