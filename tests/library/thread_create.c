// A created thread runs with its argument; it may run at once or later.
//
// expect assertions: SAFE
// expect races: SAFE
// expect -D EARLY assertions: UNSAFE
// expect -D LATE assertions: UNSAFE

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int done;

static void *work(void *argument)
{
    assert(*(int *)argument == 6);
    atomic_store(&done, 1);
    return NULL;
}

int main(void)
{
    int input = 6;
    pthread_t thread;
    assert(pthread_create(&thread, NULL, work, &input) == 0);
#ifdef EARLY
    assert(atomic_load(&done) == 0);
#endif
#ifdef LATE
    assert(atomic_load(&done) == 1);
#endif
    pthread_join(thread, NULL);
    assert(atomic_load(&done) == 1);
    return 0;
}
