// The bug: sometimes the other number is left out. The correct program is twice.c.
//
// expect assertions: UNSAFE
// expect races: SAFE

#include <assert.h>
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned single, twofold;

static void *work(void *argument)
{
    pthread_mutex_lock(&lock);
    single += 3;
    if (__VERIFIER_nondet_int() != 17)
        twofold += 6;
    assert(twofold == 2 * single);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    for (int i = 0; i < 1000; i++) {
        pthread_t thread;
        pthread_create(&thread, NULL, work, NULL);
    }
    return 0;
}
