// A list with a lock in each node; with BUG a node is changed again when only the lock of the next is held.
//
// expect races: SAFE
// expect -D BUG races: UNSAFE

#include <pthread.h>
#include <stdlib.h>

struct node {
    pthread_mutex_t lock;
    int value;
    struct node *next;
};

static struct node head = {PTHREAD_MUTEX_INITIALIZER, 0, NULL};

static void add(int value)
{
    struct node *n = malloc(sizeof *n);
    if (!n)
        return;
    pthread_mutex_init(&n->lock, NULL);
    n->value = value;
    pthread_mutex_lock(&head.lock);
    n->next = head.next;
    head.next = n;
    pthread_mutex_unlock(&head.lock);
}

static void bump_all(void)
{
    struct node *at = &head;
    pthread_mutex_lock(&at->lock);
    while (at) {
        at->value++;
        struct node *next = at->next;
        pthread_mutex_unlock(&at->lock);
        if (next) {
            pthread_mutex_lock(&next->lock);
#ifdef BUG
            at->value--;
#endif
        }
        at = next;
    }
}

static void *worker(void *argument)
{
    add(1);
    bump_all();
    add(2);
    return argument;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    bump_all();
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
