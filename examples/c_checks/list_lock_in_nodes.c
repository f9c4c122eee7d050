// A list of nodes with a lock in each; with RACY: nobody takes it.
//
// expect races: SAFE
// expect -D RACY races: UNSAFE

#include <pthread.h>
#include <stdlib.h>
struct node { pthread_mutex_t lock; int value; struct node *next; };
static struct node *head;
static void add_all(void)
{
    for (struct node *p = head; p != NULL; p = p->next) {
#ifndef RACY
        pthread_mutex_lock(&p->lock);
#endif
        p->value++;
#ifndef RACY
        pthread_mutex_unlock(&p->lock);
#endif
    }
}
static void *worker(void *arg) { add_all(); return arg; }
int main(void)
{
    pthread_t t;
    for (int i = 0; i < 5; i++) {
        struct node *p = malloc(sizeof *p);
        if (!p)
            return 1;
        pthread_mutex_init(&p->lock, NULL);
        p->value = i;
        p->next = head;
        head = p;
    }
    pthread_create(&t, NULL, worker, NULL);
    add_all();
    pthread_join(t, NULL);
    while (head) {
        struct node *p = head;
        head = p->next;
        pthread_mutex_destroy(&p->lock);
        free(p);
    }
    return 0;
}
