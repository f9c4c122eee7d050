// The consumer spins on an atomic flag before it reads the data.
//
// expect assertions: SAFE
// expect races: SAFE
// expect deadlocks: SAFE
// expect mutex: SAFE

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static int data;
static atomic_int ready;

static void *produce(void *unused)
{
    data = 1;
    atomic_store_explicit(&ready, 1, memory_order_release);
    return NULL;
}

int main(void)
{
    pthread_t producer;
    pthread_create(&producer, NULL, produce, NULL);
    while (!atomic_load_explicit(&ready, memory_order_acquire))
        ;
    assert(data == 1);
    pthread_join(producer, NULL);
    return 0;
}
