// The bug: the lock is released by an ordinary assignment, and before the update. The correct
// program is sync_builtins.c.
//
// expect assertions: UNSAFE
// expect races: UNSAFE
// expect deadlocks: SAFE
// expect mutex: SAFE

#include <assert.h>
#include <pthread.h>

static int held;
static int counter;

static void *work(void *unused)
{
    while (__sync_lock_test_and_set(&held, 1))
        ;
    held = 0;
    counter++;
    return NULL;
}

int main(void)
{
    pthread_t first, second;
    pthread_create(&first, NULL, work, NULL);
    pthread_create(&second, NULL, work, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    assert(__sync_fetch_and_add(&counter, 0) == 2);
    return 0;
}
