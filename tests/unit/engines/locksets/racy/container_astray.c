/* From the head of the list back to where no element is, and forth again: to the head itself. */
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
struct link { struct link *next; int mark; };
struct item { int value; struct link node; };
struct link head = { &head, 0 };
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void *work(void *unused)
{
    struct item *item = (struct item *)((char *)head.next - offsetof(struct item, node));
    struct link *back = &item->node;
    back->mark = 1;
    return 0;
}
void *mark(void *unused)
{
    pthread_mutex_lock(&m);
    head.mark = 2;
    pthread_mutex_unlock(&m);
    return 0;
}
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, mark, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
