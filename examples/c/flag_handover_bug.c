// The bug: the flag is raised before the data is there. The correct program is flag_handover.c.
//
// expect assertions: UNSAFE
// expect races: UNSAFE
// expect deadlocks: SAFE
// expect mutex: SAFE

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static int data;
static atomic_bool ready;

static void *produce(void *unused)
{
    atomic_store(&ready, 1);
    data = 42;
    return NULL;
}

static void *consume(void *unused)
{
    if (atomic_load(&ready))
        assert(data == 42);
    return NULL;
}

int main(void)
{
    pthread_t producer, consumer;
    pthread_create(&producer, NULL, produce, NULL);
    pthread_create(&consumer, NULL, consume, NULL);
    pthread_join(producer, NULL);
    pthread_join(consumer, NULL);
    return 0;
}
