// Each of ten thousand threads has a slot of its own in an array.
//
// expect assertions: SAFE
// expect races: SAFE

#include <assert.h>
#include <pthread.h>

static int slot[10000];

static void *work(void *argument)
{
    int me = (int)(long)argument;
    slot[me] = me;
    slot[me] = slot[me] + 1;
    assert(slot[me] == me + 1);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    for (long i = 0; i < 10000; i++)
        pthread_create(&thread, NULL, work, (void *)i);
    return 0;
}
