// A pointer from elsewhere.
#include <assert.h>
#include <pthread.h>
struct node { int value; };
extern struct node *lookup(int key);
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int count;
void *worker(void *arg) {
    lookup(3)->value = 1; // blocker
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
