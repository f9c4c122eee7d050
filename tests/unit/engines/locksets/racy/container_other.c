/* The lock of another element: `back` goes to the wrong record of two that look alike. */
#include <pthread.h>
#include <stddef.h>
struct link { struct link *next; };
struct item { pthread_mutex_t m; int value; struct link node; };
struct item one, two;
struct link *shared = &one.node;
void *work(void *unused)
{
    struct item *item = (struct item *)((char *)shared - offsetof(struct item, node));
    pthread_mutex_lock(&two.m);
    item->value++;
    pthread_mutex_unlock(&two.m);
    return 0;
}
void *other(void *unused)
{
    struct item *item = (struct item *)((char *)shared - offsetof(struct item, node));
    pthread_mutex_lock(&item->m);
    item->value++;
    pthread_mutex_unlock(&item->m);
    return 0;
}
int main(void)
{
    pthread_t a, b;
    pthread_mutex_init(&one.m, 0);
    pthread_mutex_init(&two.m, 0);
    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, other, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
