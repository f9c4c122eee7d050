// Not more than ten thousand can have been counted: the number of creations bounds the sum.
//
// expect assertions: SAFE
// expect races: SAFE

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int sum;

static void *work(void *argument)
{
    atomic_fetch_add(&sum, 1);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    for (int i = 0; i < 10000; i++)
        pthread_create(&thread, NULL, work, NULL);
    assert(atomic_load(&sum) <= 10000);
    return 0;
}
