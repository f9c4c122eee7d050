// The bug: a plain flag instead of pthread_once: both may initialise. The correct program is
// once_init.c.
//
// expect assertions: UNSAFE
// expect races: UNSAFE
// expect deadlocks: SAFE
// expect mutex: SAFE

#include <assert.h>
#include <pthread.h>

static int value, calls;
static int done;

static void initialise(void)
{
    calls++;
    value = 5;
}

static void *work(void *unused)
{
    if (!done) {
        done = 1;
        initialise();
    }
    assert(value == 5);
    return NULL;
}

int main(void)
{
    pthread_t first, second;
    pthread_create(&first, NULL, work, NULL);
    pthread_create(&second, NULL, work, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    assert(calls == 1);
    return 0;
}
