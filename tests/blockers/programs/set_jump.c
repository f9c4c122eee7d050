// A place to jump back to.
#include <assert.h>
#include <pthread.h>
#include <setjmp.h>
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int done;
void *work(void *arg) {
    jmp_buf back;
    if (setjmp(back) == 0) { // blocker
        pthread_mutex_lock(&lock);
        done++;
        pthread_mutex_unlock(&lock);
    }
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    pthread_join(t, 0);
    assert(done == 1);
    return 0;
}
