/* The pointer moves on between the lock and the access. */
#include <pthread.h>
#include <stdlib.h>
struct node { pthread_mutex_t m; int x; struct node *next; };
struct node second = { PTHREAD_MUTEX_INITIALIZER, 0, 0 };
struct node first = { PTHREAD_MUTEX_INITIALIZER, 0, &second };
void *work(void *unused)
{
    struct node *p = &first;
    struct node *locked = p;
    pthread_mutex_lock(&p->m);
    p = p->next;
    p->x++;
    pthread_mutex_unlock(&locked->m);
    return 0;
}
void *other(void *unused)
{
    struct node *p = first.next;
    pthread_mutex_lock(&p->m);
    p->x++;
    pthread_mutex_unlock(&p->m);
    return 0;
}
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, other, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
