/* SAFE: a list whose nodes are locked one after the other, always forwards */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <unistd.h>
#include <errno.h>
#include <time.h>
struct node {
    pthread_mutex_t m;
    struct node *next;
    int v;
};
static struct node third = { PTHREAD_MUTEX_INITIALIZER, 0, 3 }, second = { PTHREAD_MUTEX_INITIALIZER, &third, 2 }, first = { PTHREAD_MUTEX_INITIALIZER, &second, 1 };
static void *walk(void *x)
{
    struct node *p = &first, *n;
    pthread_mutex_lock(&p->m);
    while ((n = p->next) != 0) {
        pthread_mutex_lock(&n->m);
        pthread_mutex_unlock(&p->m);
        p = n;
    }
    p->v++;
    pthread_mutex_unlock(&p->m);
    return x;
}
int main(void)
{
    pthread_t t[2];
    pthread_create(&t[0], 0, walk, 0);
    pthread_create(&t[1], 0, walk, 0);
    pthread_join(t[0], 0);
    pthread_join(t[1], 0);
    return 0;
}
