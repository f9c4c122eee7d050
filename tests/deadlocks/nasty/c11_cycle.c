/* UNSAFE: C11 mutexes in opposite orders, one of them timed but not given back */
#include <threads.h>
#include <time.h>
static mtx_t a, b;
static struct timespec until;
static int one(void *x)
{
    (void)x;
    mtx_lock(&a);
    mtx_lock(&b);
    mtx_unlock(&b);
    mtx_unlock(&a);
    return 0;
}
static int two(void *x)
{
    (void)x;
    if (mtx_timedlock(&b, &until) == thrd_success) {
        mtx_lock(&a);
        mtx_unlock(&a);
        mtx_unlock(&b);
    }
    return 0;
}
int main(void)
{
    thrd_t t, u;
    mtx_init(&a, mtx_plain);
    mtx_init(&b, mtx_timed);
    thrd_create(&t, one, 0);
    thrd_create(&u, two, 0);
    thrd_join(t, 0);
    thrd_join(u, 0);
    return 0;
}
