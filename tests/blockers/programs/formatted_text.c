// What is printed into a buffer decides.
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
char name[8];
void *label(void *arg) {
    pthread_mutex_lock(&lock);
    sprintf(name, "%.1f", 0.75); // blocker
    pthread_mutex_unlock(&lock);
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, label, 0);
    pthread_join(t, 0);
    assert(name[0] == '0');
    return 0;
}
