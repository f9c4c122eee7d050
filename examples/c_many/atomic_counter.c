// Ten thousand threads count themselves in and out; a thread that is in is counted.
//
// expect assertions: SAFE
// expect races: SAFE

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_uint users;

static void *work(void *argument)
{
    atomic_fetch_add(&users, 1);
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
