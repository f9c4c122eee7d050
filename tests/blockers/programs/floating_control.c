// A branch depends on floating-point numbers.
#include <assert.h>
#include <pthread.h>
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
double load = 0.5;
int overloaded;
void *measure(void *arg) {
    pthread_mutex_lock(&lock);
    load = load * 1.5; // blocker
    if (load > 1.0)
        overloaded = 1;
    pthread_mutex_unlock(&lock);
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, measure, 0);
    pthread_join(t, 0);
    assert(!overloaded);
    return 0;
}
