// The bug: the one before is waited for when the next already runs. The correct program is joined_one_by_one.c.
//
// expect assertions: UNSAFE
// expect races: UNSAFE

#include <assert.h>
#include <pthread.h>

static int x;

static void *work(void *argument)
{
    x = 1;
    assert(x == 1);
    x = 0;
    return NULL;
}

int main(void)
{
    pthread_t before, thread;
    pthread_create(&before, NULL, work, NULL);
    for (int i = 0; i < 10000; i++) {
        pthread_create(&thread, NULL, work, NULL);
        pthread_join(before, NULL);
        before = thread;
    }
    return 0;
}
