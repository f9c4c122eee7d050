/* SAFE: the recursive mutex is taken once when its owner waits */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <unistd.h>
#include <errno.h>
#include <time.h>
static pthread_mutex_t m;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int ready;
static void inner(void)
{
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
}
static void *one(void *x)
{
    pthread_mutex_lock(&m);
    inner();
    while (!ready) pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
    return x;
}
static void *two(void *x)
{
    pthread_mutex_lock(&m);
    inner();
    ready = 1;
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
    return x;
}
int main(void)
{
    pthread_t t[2];
    pthread_mutexattr_t k;
    pthread_mutexattr_init(&k);
    pthread_mutexattr_settype(&k, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&m, &k);
    pthread_create(&t[0], 0, one, 0);
    pthread_create(&t[1], 0, two, 0);
    pthread_join(t[0], 0);
    pthread_join(t[1], 0);
    return 0;
}
