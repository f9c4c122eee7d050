// A barrier may be destroyed when all have arrived, even if not all have left.
//
// expect mutex: SAFE
// expect deadlocks: SAFE
// expect -D ALONE mutex: UNSAFE

#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_barrier_t barrier;

static void *work(void *unused)
{
    pthread_barrier_wait(&barrier);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&thread, NULL, work, NULL);
#ifndef ALONE
    pthread_barrier_wait(&barrier);
#endif
    assert(pthread_barrier_destroy(&barrier) == 0);
    pthread_join(thread, NULL);
    return 0;
}
