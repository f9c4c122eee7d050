// A thread may be cancelled between any two of its steps.
#include <assert.h>
#include <pthread.h>
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int taken, given;
void *work(void *arg) {
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, 0);
    pthread_mutex_lock(&lock);
    taken++;
    given++;
    pthread_mutex_unlock(&lock);
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    pthread_cancel(t); // blocker
    pthread_join(t, 0);
    assert(taken == given);
    return 0;
}
