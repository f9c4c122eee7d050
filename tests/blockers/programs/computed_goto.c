// An interpreter jumps to addresses of labels.
#include <assert.h>
#include <pthread.h>
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int halted;
void *interpret(void *arg) {
    static void *table[] = {&&next, &&halt};
    int pc = 0;
next:
    pc++;
    goto *table[pc]; // blocker
halt:
    pthread_mutex_lock(&lock);
    halted++;
    pthread_mutex_unlock(&lock);
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, interpret, 0);
    pthread_join(t, 0);
    assert(halted == 1);
    return 0;
}
