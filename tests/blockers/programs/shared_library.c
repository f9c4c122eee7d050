// A function out of a library that is loaded at run time.
#include <pthread.h>
extern void *dlsym(void *library, const char *name);
extern void *plugins;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int loaded;
void *load(void *arg) {
    void (*start)(void) = (void (*)(void))dlsym(0, "start"); // blocker
    pthread_mutex_lock(&lock);
    loaded++;
    pthread_mutex_unlock(&lock);
    start();
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, load, 0);
    load(0);
    pthread_join(t, 0);
    return 0;
}
