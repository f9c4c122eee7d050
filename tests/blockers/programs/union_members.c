// A union is read through another member than was written.
#include <assert.h>
#include <pthread.h>
union word { int number; char bytes[4]; };
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
union word shared;
void *work(void *arg) {
    pthread_mutex_lock(&lock);
    shared.number = 0x01020304;
    int low = shared.bytes[0]; // blocker
    pthread_mutex_unlock(&lock);
    assert(low == 4);
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    pthread_join(t, 0);
    return 0;
}
