// A product of two inputs decides.
#include <assert.h>
#include <pthread.h>
extern unsigned long __VERIFIER_nondet_ulong(void);
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
unsigned long a, b, steps;
void *work(void *arg) {
    pthread_mutex_lock(&lock);
    while (a * b + a > steps * steps)
        steps += a % 3 + 1; // blocker
    pthread_mutex_unlock(&lock);
    return arg;
}
int main(void) {
    a = __VERIFIER_nondet_ulong();
    b = __VERIFIER_nondet_ulong();
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    pthread_join(t, 0);
    assert(steps * steps * steps != 1000003);
    return 0;
}
