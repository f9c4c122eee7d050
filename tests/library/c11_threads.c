// The threads, keys and once flags of C11.
//
// expect assertions: SAFE
// expect deadlocks: SAFE

#include <assert.h>
#include <threads.h>

static once_flag once = ONCE_FLAG_INIT;
static int calls;
static tss_t key;
static thrd_t starter;

static void routine(void)
{
    calls++;
}

static int work(void *argument)
{
    call_once(&once, routine);
    assert(calls == 1);
    assert(!thrd_equal(thrd_current(), starter));
    assert(tss_get(key) == NULL);
    assert(tss_set(key, argument) == thrd_success);
    assert(tss_get(key) == argument);
    thrd_yield();
    if (argument)
        thrd_exit(-7);
    return 5;
}

int main(void)
{
    int result;
    struct timespec duration = { 1, 0 };
    thrd_t thread;
    starter = thrd_current();
    assert(tss_create(&key, NULL) == thrd_success);
    call_once(&once, routine);
    assert(thrd_create(&thread, work, NULL) == thrd_success);
    assert(thrd_join(thread, &result) == thrd_success && result == 5);
    assert(thrd_create(&thread, work, &starter) == thrd_success);
    assert(thrd_sleep(&duration, NULL) == 0);
    assert(thrd_join(thread, &result) == thrd_success && result == -7);
    assert(thrd_create(&thread, work, NULL) == thrd_success);
    assert(thrd_detach(thread) == thrd_success);
    tss_delete(key);
    thrd_exit(0);
}
