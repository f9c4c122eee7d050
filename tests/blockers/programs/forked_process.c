// A process is forked while threads run.
#include <assert.h>
#include <pthread.h>
#include <unistd.h>
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int jobs;
void *work(void *arg) {
    pthread_mutex_lock(&lock);
    jobs++;
    pthread_mutex_unlock(&lock);
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    pid_t child = fork(); // blocker
    if (child == 0)
        _exit(0);
    pthread_join(t, 0);
    assert(jobs == 1);
    return 0;
}
