// Settings without effect on what can happen.
//
// expect assertions: SAFE

#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>

static void nothing(void) { }

int main(void)
{
    int old, policy;
    struct sched_param parameters = { 3 };
    cpu_set_t set;
    assert(pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old) == 0);
    assert(old == PTHREAD_CANCEL_ENABLE);
    assert(pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &old) == 0);
    assert(old == PTHREAD_CANCEL_DEFERRED);
    pthread_testcancel();
    assert(pthread_atfork(nothing, nothing, nothing) == 0);
    assert(pthread_yield() == 0);
    assert(pthread_setconcurrency(2) == 0);
    assert(pthread_getconcurrency() == 0);
    int set_parameters = pthread_setschedparam(pthread_self(), SCHED_FIFO, &parameters);
    assert(set_parameters == 0 || set_parameters == EPERM);
    assert(pthread_getschedparam(pthread_self(), &policy, &parameters) == 0);
    (void)policy;
    int set_priority = pthread_setschedprio(pthread_self(), 1);
    assert(set_priority == 0 || set_priority == EPERM);
    assert(pthread_setname_np(pthread_self(), "main") == 0);
    assert(pthread_setaffinity_np(pthread_self(), sizeof set, &set) == 0);
    return 0;
}
