// What runs at the end of the program: the last that was registered first, in the thread that ends
// it, while others go on.
//
// expect -D ORDER assertions: SAFE
// expect -D ORDER -D END=exit(0) assertions: SAFE
// expect -D ORDER -D END=errx(0,"x") assertions: SAFE
// expect -D WRONG assertions: UNSAFE
// expect -D WRONG -D END=exit(0) assertions: UNSAFE
// expect -D WRONG -D END=err(1,"x") assertions: UNSAFE
// expect -D WRONG -D END=_exit(0) assertions: SAFE
// expect -D WRONG -D END=abort() assertions: SAFE
// expect -D WRONG -D END=quick_exit(0) assertions: SAFE
// expect -D WRONG -D END=pthread_exit(0) assertions: UNKNOWN
// expect -D RACE races: UNSAFE
// expect -D RACE -D JOIN races: SAFE
// expect -D HANG deadlocks: UNSAFE

#include <assert.h>
#include <err.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#ifndef END
#define END return 0
#endif

static int steps, shared;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void first(void)
{
    steps++;
#ifdef ORDER
    assert(steps == 1);
#endif
}

static void second(void)
{
    steps++;
#ifdef ORDER
    assert(steps == 2);
#endif
#ifdef WRONG
    assert(steps == 1);
#endif
#ifdef RACE
    shared++;
#endif
#ifdef HANG
    pthread_mutex_lock(&lock);
#endif
}

#ifdef RACE
static void *work(void *unused)
{
    shared++;
    return unused;
}
#endif

int main(void)
{
    atexit(second);
    if (atexit(first) != 0)
        return 1;
#ifdef RACE
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
#ifdef JOIN
    pthread_join(thread, NULL);
#endif
#endif
#ifdef HANG
    pthread_mutex_lock(&lock);
#endif
    END;
}
