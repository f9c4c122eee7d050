// A record with pointers comes from a function that nobody describes.
#include <assert.h>
#include <pthread.h>
struct node { struct node *next; int value; };
extern struct node first_node(void);
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int seen;
void *work(void *arg) {
    struct node head = first_node(); // blocker
    pthread_mutex_lock(&lock);
    seen += head.next != 0;
    pthread_mutex_unlock(&lock);
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    pthread_join(t, 0);
    assert(seen <= 1);
    return 0;
}
