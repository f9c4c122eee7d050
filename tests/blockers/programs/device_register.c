// A device's register at a fixed address.
#include <assert.h>
#include <pthread.h>
#define STATUS ((volatile unsigned *)0x40001000)
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
unsigned ready;
void *driver(void *arg) {
    pthread_mutex_lock(&lock);
    ready = *STATUS & 1; // blocker
    pthread_mutex_unlock(&lock);
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, driver, 0);
    pthread_join(t, 0);
    assert(ready <= 1);
    return 0;
}
