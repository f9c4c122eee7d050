// Handlers of signals end sleeps early, and waits for semaphores with a time; without handlers nothing does.
//
// expect assertions: SAFE
// expect -D NO_TIME assertions: SAFE

#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

int main(void)
{
    struct timespec second = { 1, 0 }, none = { 1, 1000000000 }, past = { -1, 0 }, left;
    assert(sleep(1) == 0);
    assert(usleep(1) == 0);
    assert(nanosleep(&second, &left) == 0);
    assert(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &second, NULL) == 0);
    assert(thrd_sleep(&second, NULL) == 0);
#ifdef NO_TIME
    assert(nanosleep(&none, NULL) == -1 && errno == EINVAL);
    assert(clock_nanosleep(CLOCK_REALTIME, 0, &past, NULL) == EINVAL);
    assert(thrd_sleep(&none, NULL) == -2);
#endif
    return 0;
}
