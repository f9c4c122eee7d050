// Locking on a condition that both places test the same way; with BUG the flag may change between the tests.
//
// expect races: SAFE
// expect -D BUG races: UNSAFE

#include <pthread.h>
#include <stdatomic.h>

extern int __VERIFIER_nondet_int(void);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int shared;

static void *worker(void *argument)
{
    int use = __VERIFIER_nondet_int();
    int amount = 1;
    if (use)
        pthread_mutex_lock(&lock);
#ifdef BUG
    use = __VERIFIER_nondet_int();
    if (use || amount)
#else
    if (use)
#endif
        shared += amount;
    if (use)
        pthread_mutex_unlock(&lock);
    return argument;
}

int main(void)
{
    pthread_t t[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    return shared;
}
