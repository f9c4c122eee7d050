// Data is published by an atomic flag: the consumer reads it only when the flag is set.
//
// expect assertions: SAFE
// expect races: SAFE
// expect deadlocks: SAFE
// expect mutex: SAFE

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static int data;
static atomic_bool ready;

static void *produce(void *unused)
{
    data = 42;
    atomic_store(&ready, 1);
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
