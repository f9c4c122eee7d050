// A function that is looked up when the program runs.
#include <assert.h>
#include <pthread.h>
#include <dlfcn.h>
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int count;
void *worker(void *arg) {
    void (*hook)(void) = (void (*)(void))dlsym(0, "hook"); // blocker
    hook();
    pthread_mutex_lock(&lock);
    count = count + 1;
    pthread_mutex_unlock(&lock);
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    pthread_join(t, 0);
    assert(count == 1);
    return 0;
}
