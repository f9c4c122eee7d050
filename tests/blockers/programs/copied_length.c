// How much is copied depends on the input.
#include <assert.h>
#include <pthread.h>
#include <string.h>
extern unsigned __VERIFIER_nondet_uint(void);
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
struct message { char kind; char text[7]; int size; } box;
void *send_it(void *arg) {
    struct message mine = {1, "hello", 5};
    unsigned n = __VERIFIER_nondet_uint();
    if (n > sizeof mine)
        return arg;
    pthread_mutex_lock(&lock);
    memcpy(&box, &mine, n); // blocker
    pthread_mutex_unlock(&lock);
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, send_it, 0);
    pthread_join(t, 0);
    assert(box.size == 0 || box.size == 5);
    return 0;
}
