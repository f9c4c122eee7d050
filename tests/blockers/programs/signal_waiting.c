// A signal that another process sends.
#include <assert.h>
#include <pthread.h>
#include <signal.h>
sigset_t set; siginfo_t info;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int count;
void *worker(void *arg) {
    sigwaitinfo(&set, &info); // blocker
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
