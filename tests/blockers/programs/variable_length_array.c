// An array as long as the input says.
#include <assert.h>
#include <pthread.h>
extern int __VERIFIER_nondet_int(void);
#ifndef MOST
#define MOST 1000
#endif
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int sum;
void *work(void *arg) {
    int n = __VERIFIER_nondet_int(); // blocker
    if (n < 1 || n > MOST)
        return arg;
    int row[n];
    for (int i = 0; i < n; i++)
        row[i] = 1;
    pthread_mutex_lock(&lock);
    sum += row[n - 1];
    pthread_mutex_unlock(&lock);
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    pthread_join(t, 0);
    assert(sum <= 1);
    return 0;
}
