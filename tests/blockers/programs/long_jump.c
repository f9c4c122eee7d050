// A jump out of the functions that are being executed.
#include <pthread.h>
#include <setjmp.h>
jmp_buf recovery;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int failures;
void fail(void) {
    pthread_mutex_lock(&lock);
    failures++;
    pthread_mutex_unlock(&lock);
    longjmp(recovery, 1); // blocker
}
void *work(void *arg) {
    if (!arg)
        fail();
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    fail();
    return 0;
}
