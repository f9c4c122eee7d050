/* SAFE: the waiter keeps the outer lock, but gives up after a while */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <unistd.h>
#include <errno.h>
#include <time.h>
static pthread_mutex_t outer = PTHREAD_MUTEX_INITIALIZER, inner = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int ready;
static struct timespec until;
static void *one(void *x)
{
    pthread_mutex_lock(&outer);
    pthread_mutex_lock(&inner);
    while (!ready) if (pthread_cond_timedwait(&c, &inner, &until) == ETIMEDOUT) break;
    pthread_mutex_unlock(&inner);
    pthread_mutex_unlock(&outer);
    return x;
}
static void *two(void *x)
{
    pthread_mutex_lock(&outer);
    pthread_mutex_lock(&inner);
    ready = 1;
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&inner);
    pthread_mutex_unlock(&outer);
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
