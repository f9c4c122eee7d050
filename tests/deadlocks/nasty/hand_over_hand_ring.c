/* UNSAFE: the list is a ring, and two begin at different places */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <unistd.h>
#include <errno.h>
#include <time.h>
struct node {
    pthread_mutex_t m;
    struct node *next;
};
static struct node a, b;
static struct node a = { PTHREAD_MUTEX_INITIALIZER, &b }, b = { PTHREAD_MUTEX_INITIALIZER, &a };
static void step(struct node *p)
{
    pthread_mutex_lock(&p->m);
    pthread_mutex_lock(&p->next->m);
    pthread_mutex_unlock(&p->next->m);
    pthread_mutex_unlock(&p->m);
}
static void *one(void *x)
{
    step(&a);
    return x;
}
static void *two(void *x)
{
    step(&b);
    return x;
}
int main(void)
{
    pthread_t t[2];
    pthread_create(&t[0], 0, one, 0);
    pthread_create(&t[1], 0, two, 0);
    pthread_join(t[0], 0);
    pthread_join(t[1], 0);
    return 0;
}
