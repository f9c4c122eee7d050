/* UNSAFE: two servers with queues of one place send to each other and both are full */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <unistd.h>
#include <errno.h>
#include <time.h>
struct queue {
    pthread_mutex_t m;
    pthread_cond_t c;
    int n;
};
static struct queue q[2] = { { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0 }, { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0 } };
static void put(struct queue *p)
{
    pthread_mutex_lock(&p->m);
    while (p->n == 1) pthread_cond_wait(&p->c, &p->m);
    p->n = 1;
    pthread_cond_broadcast(&p->c);
    pthread_mutex_unlock(&p->m);
}
static void get(struct queue *p)
{
    pthread_mutex_lock(&p->m);
    while (p->n == 0) pthread_cond_wait(&p->c, &p->m);
    p->n = 0;
    pthread_cond_broadcast(&p->c);
    pthread_mutex_unlock(&p->m);
}
static void *one(void *x)
{
    put(&q[1]);
    put(&q[1]);
    get(&q[0]);
    get(&q[0]);
    return x;
}
static void *two(void *x)
{
    put(&q[0]);
    put(&q[0]);
    get(&q[1]);
    get(&q[1]);
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
