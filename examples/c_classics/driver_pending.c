// Requests of a driver and its removal, with a count of those pending; with BUG the count comes after the look at the flag.
//
// expect assertions: SAFE
// expect -D BUG assertions: UNSAFE

#include <assert.h>
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
extern void __VERIFIER_assume(int);

static int stopping;
static int pending = 1;
static int stopped;
static int event;

static int start_request(void)
{
    int status;
    __VERIFIER_atomic_begin();
    if (stopping)
        status = -1;
    else {
        status = 0;
#ifndef BUG
        pending++;
#endif
    }
    __VERIFIER_atomic_end();
#ifdef BUG
    if (status == 0) {
        __VERIFIER_atomic_begin();
        pending++;
        __VERIFIER_atomic_end();
    }
#endif
    return status;
}

static void end_request(void)
{
    int left;
    __VERIFIER_atomic_begin();
    left = --pending;
    __VERIFIER_atomic_end();
    if (left == 0) {
        __VERIFIER_atomic_begin();
        event = 1;
        __VERIFIER_atomic_end();
    }
}

static void *request(void *argument)
{
    if (start_request() == 0) {
        __VERIFIER_atomic_begin();
        assert(!stopped);
        __VERIFIER_atomic_end();
        end_request();
    }
    return argument;
}

static void *removal(void *argument)
{
    __VERIFIER_atomic_begin();
    stopping = 1;
    __VERIFIER_atomic_end();
    end_request();
    __VERIFIER_atomic_begin();
    __VERIFIER_assume(event);
    stopped = 1;
    __VERIFIER_atomic_end();
    return argument;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, removal, NULL);
    while (__VERIFIER_nondet_int())
        pthread_create(&t, NULL, request, NULL);
    return 0;
}
