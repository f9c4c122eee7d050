// The bug: the owner looks again outside the lock. The correct program is unknown_count.c.
//
// expect assertions: UNSAFE
// expect races: UNSAFE

#include <assert.h>
#include <pthread.h>

extern unsigned __VERIFIER_nondet_uint(void);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned owner;

static void *work(void *argument)
{
    unsigned me = (unsigned)(unsigned long)argument + 1;
    pthread_mutex_lock(&lock);
    owner = me;
    pthread_mutex_unlock(&lock);
    assert(owner == me);
    return NULL;
}

int main(void)
{
    unsigned count = __VERIFIER_nondet_uint();
    for (unsigned long i = 0; i < count; i++) {
        pthread_t thread;
        pthread_create(&thread, NULL, work, (void *)i);
    }
    return 0;
}
