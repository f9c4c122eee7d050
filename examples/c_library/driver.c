// A driver for an imaginary kernel: its locks are described in locks.toml.
//
// expect assertions: SAFE
// expect races: SAFE
// expect deadlocks: SAFE
// expect mutex: SAFE
// expect -D FORGET races: UNSAFE
// expect -D FORGET mutex: UNSAFE

#include <assert.h>
#include <pthread.h>
#include "kernel.h"

static kspinlock lock;
static int queued, handled, opened;

static void *work(void *unused)
{
    if (ticks("cpu") > 100)
        panic("too late");
    kadd(&opened, 1);
#ifndef FORGET
    kspin_lock(&lock);
#endif
    queued++;
    kspin_unlock(&lock);
    disable_interrupts();
    handled++;
    enable_interrupts();
    return NULL;
}

int main(void)
{
    pthread_t first, second;
    pthread_create(&first, NULL, work, NULL);
    pthread_create(&second, NULL, work, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    assert(queued == 2 && handled == 2 && kadd(&opened, 0) == 2);
    return 0;
}
