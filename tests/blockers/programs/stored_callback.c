// A pointer to a function is given away and never called here.
#include <assert.h>
#include <pthread.h>
extern void on_event(void (*f)(int));
int seen;
void handler(int n) { seen = n; }
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int count;
void *worker(void *arg) {
    on_event(handler); // blocker
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
