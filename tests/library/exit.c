// The end of the program: nothing happens after it.
//
// expect -D END=exit(1) assertions: SAFE
// expect -D END=exit(1) deadlocks: SAFE
// expect -D END=_exit(1) assertions: SAFE
// expect -D END=_exit(1) deadlocks: SAFE
// expect -D END=_Exit(1) assertions: SAFE
// expect -D END=_Exit(1) deadlocks: SAFE
// expect -D END=quick_exit(1) assertions: SAFE
// expect -D END=quick_exit(1) deadlocks: SAFE
// expect -D END=abort() assertions: SAFE
// expect -D END=abort() deadlocks: SAFE
// expect -D END=err(1,"x") assertions: SAFE
// expect -D END=err(1,"x") deadlocks: SAFE
// expect -D END=errx(1,"x") assertions: SAFE
// expect -D END=errx(1,"x") deadlocks: SAFE
// expect -D END=error(1,0,"x") assertions: SAFE
// expect -D END=error(1,0,"x") deadlocks: SAFE
// expect -D END=error(0,0,"x") assertions: UNSAFE

#include <assert.h>
#include <err.h>
#include <error.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *unused)
{
    pthread_mutex_lock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    pthread_mutex_lock(&lock);
    pthread_create(&thread, NULL, work, NULL);
    END;
    assert(0);
}
