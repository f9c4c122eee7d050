// Lamport's bakery for two threads whose numbers grow until they wrap around; with BUG a thread does not say that it is choosing.
//
// expect assertions: SAFE
// expect -D BUG assertions: UNSAFE

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_bool choosing[2];
static atomic_uint number[2];
static int inside;

static void lock(int me)
{
    int other = 1 - me;
#ifndef BUG
    atomic_store(&choosing[me], 1);
#endif
    unsigned mine = atomic_load(&number[other]) + 1;
    if (mine == 0)
        abort();
    atomic_store(&number[me], mine);
#ifndef BUG
    atomic_store(&choosing[me], 0);
#endif
    while (atomic_load(&choosing[other]))
        ;
    for (;;) {
        unsigned its = atomic_load(&number[other]);
        if (its == 0 || mine < its || (mine == its && me < other))
            break;
    }
}

static void *first(void *argument)
{
    while (1) {
        lock(0);
        inside = 1;
        assert(inside == 1);
        atomic_store(&number[0], 0);
    }
    return argument;
}

static void *second(void *argument)
{
    while (1) {
        lock(1);
        inside = 2;
        assert(inside == 2);
        atomic_store(&number[1], 0);
    }
    return argument;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
