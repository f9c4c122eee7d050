// The condition variables of C11.
//
// expect assertions: SAFE
// expect deadlocks: SAFE
// expect -D SIGNAL deadlocks: UNSAFE

#include <assert.h>
#include <threads.h>

static int ready;
static mtx_t lock;
static cnd_t changed;

static int wait(void *unused)
{
    mtx_lock(&lock);
    while (!ready)
        assert(cnd_wait(&changed, &lock) == thrd_success);
    mtx_unlock(&lock);
    return 0;
}

int main(void)
{
    thrd_t first, second;
    struct timespec until = { 1, 0 };
    mtx_init(&lock, mtx_plain);
    assert(cnd_init(&changed) == thrd_success);
    mtx_lock(&lock);
    assert(cnd_timedwait(&changed, &lock, &until) == thrd_timedout);
    mtx_unlock(&lock);
    thrd_create(&first, wait, NULL);
    thrd_create(&second, wait, NULL);
    mtx_lock(&lock);
    ready = 1;
#ifdef SIGNAL
    assert(cnd_signal(&changed) == thrd_success);
#else
    assert(cnd_broadcast(&changed) == thrd_success);
#endif
    mtx_unlock(&lock);
    thrd_join(first, NULL);
    thrd_join(second, NULL);
    cnd_destroy(&changed);
    return 0;
}
