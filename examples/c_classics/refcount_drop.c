// An object freed by whoever drops the last reference; with BUG the count is looked at again after the decrement.
//
// expect races: SAFE
// expect -D BUG races: UNSAFE

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct object {
    atomic_int references;
    int payload;
    int seen;
};

static void drop(struct object *o)
{
#ifdef BUG
    atomic_fetch_sub(&o->references, 1);
    if (atomic_load(&o->references) == 0) {
#else
    if (atomic_fetch_sub(&o->references, 1) == 1) {
#endif
        o->seen = o->payload;
    }
}

static void *worker(void *argument)
{
    struct object *o = argument;
    int copy = o->payload;
    drop(o);
    return (void *)(long)copy;
}

int main(void)
{
    struct object *o = calloc(1, sizeof *o);
    if (!o)
        return 1;
    atomic_init(&o->references, 2);
    o->payload = 7;
    pthread_t a, b;
    pthread_create(&a, NULL, worker, o);
    pthread_create(&b, NULL, worker, o);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    free(o);
    return 0;
}
