/* SAFE: members of two records, always the first kind first */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <unistd.h>
#include <errno.h>
#include <time.h>
struct o {
    pthread_mutex_t a, b;
};
static struct o x = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER }, y = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER };
static void ab(struct o *p, struct o *q)
{
    pthread_mutex_lock(&p->a);
    pthread_mutex_lock(&q->b);
    pthread_mutex_unlock(&q->b);
    pthread_mutex_unlock(&p->a);
}
static void *one(void *v)
{
    ab(&x, &y);
    return v;
}
static void *two(void *v)
{
    ab(&y, &x);
    return v;
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
