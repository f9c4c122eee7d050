// The threads of C11: mutex, condition and result.
//
// expect assertions: SAFE
// expect races: SAFE
// expect deadlocks: SAFE
// expect mutex: SAFE

#include <assert.h>
#include <threads.h>

static int ready;
static mtx_t lock;
static cnd_t changed;

static int work(void *unused)
{
    mtx_lock(&lock);
    ready = 1;
    cnd_signal(&changed);
    mtx_unlock(&lock);
    return 9;
}

int main(void)
{
    int result;
    thrd_t worker;
    mtx_init(&lock, mtx_plain);
    cnd_init(&changed);
    thrd_create(&worker, work, NULL);
    mtx_lock(&lock);
    while (!ready)
        cnd_wait(&changed, &lock);
    mtx_unlock(&lock);
    thrd_join(worker, &result);
    assert(result == 9);
    return 0;
}
