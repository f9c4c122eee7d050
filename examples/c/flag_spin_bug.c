// The bug: the flag is a plain variable. Under sequential consistency the assertion holds, but the
// two threads race for the flag. The correct program is flag_spin.c.
//
// expect assertions: SAFE
// expect races: UNSAFE
// expect deadlocks: SAFE
// expect mutex: SAFE

#include <assert.h>
#include <pthread.h>

static int data;
static volatile int ready;

static void *produce(void *unused)
{
    data = 1;
    ready = 1;
    return NULL;
}

int main(void)
{
    pthread_t producer;
    pthread_create(&producer, NULL, produce, NULL);
    while (!ready)
        ;
    assert(data == 1);
    pthread_join(producer, NULL);
    return 0;
}
