// The bug: reading and writing the counter are two steps. The correct program is atomic_counter.c.
//
// expect assertions: UNSAFE
// expect races: SAFE

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_uint users;

static void *work(void *argument)
{
    unsigned old = atomic_load(&users);
    atomic_store(&users, old + 1);
    assert(atomic_load(&users) > 0);
    atomic_fetch_sub(&users, 1);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    for (int i = 0; i < 10000; i++)
        pthread_create(&thread, NULL, work, NULL);
    return 0;
}
