/* SAFE: a cleanup handler gives the lock back when the thread exits */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <unistd.h>
#include <errno.h>
#include <time.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void back(void *p)
{
    pthread_mutex_unlock(p);
}
static void *one(void *x)
{
    pthread_mutex_lock(&m);
    pthread_cleanup_push(back, &m);
    pthread_exit(x);
    pthread_cleanup_pop(1);
    return x;
}
static void *two(void *x)
{
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
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
