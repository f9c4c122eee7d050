// The mutexes of C11.
//
// expect assertions: SAFE
// expect races: SAFE
// expect mutex: SAFE
// expect -D HELD mutex: UNSAFE
// expect -D AGAIN mutex: UNSAFE
// expect -D TWICE deadlocks: UNSAFE

#include <assert.h>
#include <threads.h>

static int shared;
static mtx_t plain, recursive;

static int work(void *unused)
{
    assert(mtx_lock(&plain) == thrd_success);
    shared++;
    assert(mtx_unlock(&plain) == thrd_success);
    return 0;
}

int main(void)
{
    thrd_t thread;
    struct timespec until = { 1, 0 };
    assert(mtx_init(&plain, mtx_plain | mtx_timed) == thrd_success);
    assert(mtx_init(&recursive, mtx_recursive) == thrd_success);
    thrd_create(&thread, work, NULL);
    work(NULL);
    thrd_join(thread, NULL);
    assert(shared == 2);
    assert(mtx_trylock(&plain) == thrd_success);
    assert(mtx_trylock(&plain) == thrd_busy);
    assert(mtx_timedlock(&plain, &until) == thrd_timedout);
    assert(mtx_lock(&recursive) == thrd_success && mtx_lock(&recursive) == thrd_success);
    assert(mtx_unlock(&recursive) == thrd_success && mtx_unlock(&recursive) == thrd_success);
    assert(mtx_unlock(&recursive) == thrd_error);
#ifdef AGAIN
    mtx_init(&plain, mtx_plain);
#endif
#ifdef TWICE
    mtx_lock(&plain);
#endif
#ifndef HELD
    mtx_unlock(&plain);
#endif
    mtx_destroy(&plain);
    return 0;
}
