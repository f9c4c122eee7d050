// A ticket lock in atomic blocks for any number of threads; with BUG the ticket is drawn in two steps.
//
// expect assertions: SAFE
// expect -D BUG assertions: UNSAFE

#include <pthread.h>

extern void abort(void);
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
extern void reach_error(void);

static unsigned next_ticket, now_serving;
static int holder;

static void *worker(void *argument)
{
    unsigned mine, now;
    __VERIFIER_atomic_begin();
    mine = next_ticket;
#ifdef BUG
    __VERIFIER_atomic_end();
    __VERIFIER_atomic_begin();
#endif
    next_ticket = mine + 1;
    if (next_ticket == 0)
        abort();
    __VERIFIER_atomic_end();
    do {
        __VERIFIER_atomic_begin();
        now = now_serving;
        __VERIFIER_atomic_end();
    } while (now != mine);
    holder = 0;
    holder++;
    if (holder != 1)
        reach_error();
    __VERIFIER_atomic_begin();
    now_serving = now + 1;
    __VERIFIER_atomic_end();
    return argument;
}

int main(void)
{
    pthread_t t;
    while (__VERIFIER_nondet_int())
        pthread_create(&t, NULL, worker, NULL);
    return 0;
}
