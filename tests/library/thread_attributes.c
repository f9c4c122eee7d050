// Attributes of threads can be set, and some read back.
//
// expect assertions: SAFE

#include <assert.h>
#include <errno.h>
#include <pthread.h>

static void *work(void *unused)
{
    return NULL;
}

int main(void)
{
    int state;
    size_t size;
    pthread_t thread;
    struct sched_param parameters = { 1 };
    pthread_attr_t attributes;
    assert(pthread_attr_init(&attributes) == 0);
    assert(pthread_attr_getdetachstate(&attributes, &state) == 0);
    assert(state == PTHREAD_CREATE_JOINABLE);
    assert(pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED) == 0);
    assert(pthread_attr_getdetachstate(&attributes, &state) == 0);
    assert(state == PTHREAD_CREATE_DETACHED);
    assert(pthread_attr_setstacksize(&attributes, 65536) == 0);
    assert(pthread_attr_getstacksize(&attributes, &size) == 0);
    assert(pthread_attr_setguardsize(&attributes, 4096) == 0);
    assert(pthread_attr_setscope(&attributes, PTHREAD_SCOPE_SYSTEM) == 0);
    assert(pthread_attr_setschedpolicy(&attributes, SCHED_RR) == 0);
    assert(pthread_attr_setschedparam(&attributes, &parameters) == 0);
    assert(pthread_attr_setinheritsched(&attributes, PTHREAD_EXPLICIT_SCHED) == 0);
    assert(pthread_create(&thread, &attributes, work, NULL) == 0);
    assert(pthread_attr_destroy(&attributes) == 0);
    return 0;
}
