// A ring buffer for one producer and one consumer, without locks.
//
// expect assertions: SAFE
// expect races: SAFE
// expect deadlocks: SAFE
// expect mutex: SAFE

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define SIZE 2
#define ITEMS 3

static int ring[SIZE];
static atomic_uint head, tail;

static void *produce(void *unused)
{
    for (int i = 1; i <= ITEMS; i++) {
        unsigned int end = atomic_load(&tail);
        while (end - atomic_load(&head) == SIZE)
            ;
        ring[end % SIZE] = i;
        atomic_store(&tail, end + 1);
    }
    return NULL;
}

int main(void)
{
    pthread_t producer;
    pthread_create(&producer, NULL, produce, NULL);
    for (int i = 1; i <= ITEMS; i++) {
        unsigned int start = atomic_load(&head);
        while (atomic_load(&tail) == start)
            ;
        assert(ring[start % SIZE] == i);
        atomic_store(&head, start + 1);
    }
    pthread_join(producer, NULL);
    return 0;
}
