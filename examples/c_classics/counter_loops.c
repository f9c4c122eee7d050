// Two threads count to a bound that is read, under a lock; with BUG one of them reads outside the lock.
//
// expect assertions: SAFE
// expect -D BUG assertions: UNSAFE

#include <assert.h>
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned counter;
static int limit;

static void *up(void *argument)
{
    for (int i = 0; i < limit; i++) {
        pthread_mutex_lock(&lock);
        counter++;
        pthread_mutex_unlock(&lock);
    }
    return argument;
}

static void *also_up(void *argument)
{
    for (int i = 0; i < limit; i++) {
#ifdef BUG
        unsigned now = counter;
        pthread_mutex_lock(&lock);
        counter = now + 1;
        pthread_mutex_unlock(&lock);
#else
        pthread_mutex_lock(&lock);
        counter++;
        pthread_mutex_unlock(&lock);
#endif
    }
    return argument;
}

int main(void)
{
    pthread_t a, b;
    limit = __VERIFIER_nondet_int();
    if (limit < 0 || limit > 1000000)
        return 0;
    pthread_create(&a, NULL, up, NULL);
    pthread_create(&b, NULL, also_up, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(counter == 2u * limit);
    return 0;
}
