// The sum of two accounts is constant under one lock, any amounts; with BUG a transfer checks the balance before locking.
//
// expect assertions: SAFE
// expect -D BUG assertions: UNSAFE

#include <assert.h>
#include <pthread.h>

extern unsigned __VERIFIER_nondet_uint(void);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned a = 100, b = 200;

static void *transfer(void *argument)
{
    unsigned amount = __VERIFIER_nondet_uint();
#ifdef BUG
    unsigned have = a;
    pthread_mutex_lock(&lock);
    if (have >= amount) {
#else
    pthread_mutex_lock(&lock);
    if (a >= amount) {
#endif
        a -= amount;
        b += amount;
    }
    assert(a <= 300);
    pthread_mutex_unlock(&lock);
    return argument;
}

static void *back(void *argument)
{
    unsigned amount = __VERIFIER_nondet_uint();
    pthread_mutex_lock(&lock);
    if (b >= amount) {
        b -= amount;
        a += amount;
    }
    pthread_mutex_unlock(&lock);
    return argument;
}

int main(void)
{
    pthread_t t;
    while (__VERIFIER_nondet_uint()) {
        pthread_create(&t, NULL, transfer, NULL);
        pthread_create(&t, NULL, back, NULL);
    }
    pthread_mutex_lock(&lock);
    assert(a + b == 300);
    pthread_mutex_unlock(&lock);
    return 0;
}
