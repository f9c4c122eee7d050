// Complex numbers.
#include <assert.h>
#include <pthread.h>
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int rounds;
void *work(void *arg) {
    double _Complex z = 1.0; // blocker
    z = z * z;
    pthread_mutex_lock(&lock);
    rounds++;
    pthread_mutex_unlock(&lock);
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    pthread_join(t, 0);
    assert(rounds == 1);
    return 0;
}
