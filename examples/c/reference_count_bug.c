// The bug: the count is changed and tested in two steps: the object is destroyed twice, or under
// the other's hands. The correct program is reference_count.c.
//
// expect assertions: UNSAFE
// expect races: UNSAFE
// expect deadlocks: SAFE
// expect mutex: SAFE

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

struct object {
    atomic_int references;
    int alive;
};

static struct object object = { 2, 1 };

static void *work(void *unused)
{
    assert(object.alive);
    atomic_fetch_sub(&object.references, 1);
    if (atomic_load(&object.references) == 0) {
        assert(object.alive);
        object.alive = 0;
    }
    return NULL;
}

int main(void)
{
    pthread_t first, second;
    pthread_create(&first, NULL, work, NULL);
    pthread_create(&second, NULL, work, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    assert(!object.alive);
    return 0;
}
