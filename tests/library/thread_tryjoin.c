// Joining without waiting, or not for long.
//
// expect assertions: SAFE
// expect -D ENDED assertions: UNSAFE
// expect -D IN_TIME assertions: UNSAFE

#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static void *work(void *argument)
{
    return argument;
}

int main(void)
{
    void *result = NULL;
    pthread_t thread;
    struct timespec until = { 1, 0 };
    pthread_create(&thread, NULL, work, &thread);
    int tried = pthread_tryjoin_np(thread, &result);
#ifdef ENDED
    assert(tried == 0);
#endif
    assert(tried == EBUSY || (tried == 0 && result == &thread));
    int timed = pthread_timedjoin_np(thread, &result, &until);
#ifdef IN_TIME
    assert(timed == 0);
#endif
    assert(timed == ETIMEDOUT || (timed == 0 && result == &thread));
    assert(tried != 0 || timed == 0);
    return 0;
}
