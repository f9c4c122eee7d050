// Initialisation checked twice by any number of threads, with an assertion; with BUG the flag is set before the data.
//
// expect assertions: SAFE
// expect -D BUG assertions: UNSAFE

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

extern int __VERIFIER_nondet_int(void);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int ready;
static int config;

static void *worker(void *argument)
{
    if (!atomic_load(&ready)) {
        pthread_mutex_lock(&lock);
        if (!atomic_load(&ready)) {
#ifdef BUG
            atomic_store(&ready, 1);
            config = 42;
#else
            config = 42;
            atomic_store(&ready, 1);
#endif
        }
        pthread_mutex_unlock(&lock);
    }
    assert(config == 42);
    return argument;
}

int main(void)
{
    pthread_t t;
    while (__VERIFIER_nondet_int())
        pthread_create(&t, NULL, worker, NULL);
    return 0;
}
