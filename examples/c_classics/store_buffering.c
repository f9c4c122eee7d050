// Store buffering: not both read zero under sequential consistency; with BUG one loads first.
//
// expect assertions: SAFE
// expect -D BUG assertions: UNSAFE

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y;
static int r1, r2;

static void *first(void *argument)
{
    atomic_store(&x, 1);
    r1 = atomic_load(&y);
    return argument;
}

static void *second(void *argument)
{
#ifdef BUG
    r2 = atomic_load(&x);
    atomic_store(&y, 1);
#else
    atomic_store(&y, 1);
    r2 = atomic_load(&x);
#endif
    return argument;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(r1 == 1 || r2 == 1);
    return 0;
}
