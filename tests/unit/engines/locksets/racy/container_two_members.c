/* Two members lead to one record; each thread holds the lock that goes with its member. */
#include <pthread.h>
#include <stddef.h>
struct link { pthread_mutex_t m; };
struct item { struct link first; int value; struct link second; };
struct item item;
struct link *one = &item.first, *two = &item.second;
void *work(void *unused)
{
    pthread_mutex_lock(&one->m);
    struct item *found = (struct item *)((char *)one - offsetof(struct item, first));
    found->value++;
    pthread_mutex_unlock(&one->m);
    return 0;
}
void *other(void *unused)
{
    pthread_mutex_lock(&two->m);
    struct item *found = (struct item *)((char *)two - offsetof(struct item, second));
    found->value++;
    pthread_mutex_unlock(&two->m);
    return 0;
}
int main(void)
{
    pthread_t a, b;
    pthread_mutex_init(&one->m, 0);
    pthread_mutex_init(&two->m, 0);
    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, other, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
