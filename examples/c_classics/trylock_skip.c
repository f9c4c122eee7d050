// Work is skipped if the lock is taken; with BUG the result of trylock is tested the wrong way round on one path.
//
// expect races: SAFE
// expect -D BUG races: UNSAFE

#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int hits, misses;

static void *worker(void *argument)
{
    while (__VERIFIER_nondet_int()) {
        int code = pthread_mutex_trylock(&lock);
#ifdef BUG
        if (code) {
            misses++;
            continue;
        }
#else
        if (code)
            continue;
        misses = 0;
#endif
        hits++;
        pthread_mutex_unlock(&lock);
    }
    return argument;
}

int main(void)
{
    pthread_t t;
    int n = __VERIFIER_nondet_int();
    for (int i = 0; i < n; i++)
        pthread_create(&t, NULL, worker, NULL);
    return 0;
}
