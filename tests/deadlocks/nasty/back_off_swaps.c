/* SAFE: who does not get the second lock starts with that one */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <unistd.h>
#include <errno.h>
#include <time.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static void both(pthread_mutex_t *p, pthread_mutex_t *q)
{
    while (1) {
        pthread_mutex_t *r;
        pthread_mutex_lock(p);
        if (pthread_mutex_trylock(q) == 0) break;
        pthread_mutex_unlock(p);
        r = p;
        p = q;
        q = r;
    }
    pthread_mutex_unlock(p);
    pthread_mutex_unlock(q);
}
static void *one(void *x)
{
    both(&a, &b);
    return x;
}
static void *two(void *x)
{
    both(&b, &a);
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
