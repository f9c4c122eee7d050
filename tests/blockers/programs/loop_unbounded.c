// Two counters that run away from each other in a loop without a bound.
#include <assert.h>
#include <pthread.h>
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
unsigned long first, second;
void *left(void *arg) {
    for (;;) {
        pthread_mutex_lock(&lock);
        first += 3 + second % 5;
        pthread_mutex_unlock(&lock);
    }
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, left, 0);
    for (;;) {
        pthread_mutex_lock(&lock);
        second += first % 7; // blocker
        assert(first * 2 != second * second + 1000003);
        pthread_mutex_unlock(&lock);
    }
}
