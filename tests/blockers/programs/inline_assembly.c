// What assembly does is not known.
#include <assert.h>
#include <pthread.h>
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int ticks;
void *tick(void *arg) {
    int one;
    __asm__ volatile("movl $1, %0" : "=r"(one)); // blocker
    pthread_mutex_lock(&lock);
    ticks += one;
    pthread_mutex_unlock(&lock);
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, tick, 0);
    pthread_join(t, 0);
    assert(ticks == 1);
    return 0;
}
