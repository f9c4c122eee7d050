// Who gives up the last reference destroys the object.
//
// expect assertions: SAFE
// expect races: SAFE
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
    if (atomic_fetch_sub(&object.references, 1) == 1)
        object.alive = 0;
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
