/* The member is published, the record is used as one's own. */
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
struct link { struct link *next; };
struct item { int value; struct link node; };
struct link *head;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void *work(void *unused)
{
    struct item *item = malloc(sizeof *item);
    item->value = 0;
    pthread_mutex_lock(&m);
    item->node.next = head;
    head = &item->node;
    pthread_mutex_unlock(&m);
    item->value = 1;
    return 0;
}
void *look(void *unused)
{
    pthread_mutex_lock(&m);
    if (head) {
        struct item *item = (struct item *)((char *)head - offsetof(struct item, node));
        item->value = 2;
    }
    pthread_mutex_unlock(&m);
    return 0;
}
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, look, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
