/* SAFE: opposite orders, and both give up after a while */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <time.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t b = PTHREAD_MUTEX_INITIALIZER;
static struct timespec until;
static void *one(void *argument)
{
    pthread_mutex_lock(&a);
    if (pthread_mutex_timedlock(&b, &until) == 0)
        pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    return argument;
}
static void *two(void *argument)
{
    pthread_mutex_lock(&b);
    if (pthread_mutex_timedlock(&a, &until) == 0)
        pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    return argument;
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
