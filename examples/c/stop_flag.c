// A thread works until it is told to stop.
//
// expect assertions: SAFE
// expect races: SAFE
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
    pthread_join(worker, NULL);
    assert(rounds < 3);
    return 0;
}
