// Threads inside of threads: contexts of the user.
#include <assert.h>
#include <pthread.h>
#include <ucontext.h>
ucontext_t here, there;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int count;
void *worker(void *arg) {
    swapcontext(&here, &there); // blocker
    pthread_mutex_lock(&lock);
    count = count + 1;
    pthread_mutex_unlock(&lock);
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    pthread_join(t, 0);
    assert(count <= 1);
    return 0;
}
