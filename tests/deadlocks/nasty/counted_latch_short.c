/* UNSAFE: the latch counts one thread too many */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <unistd.h>
#include <errno.h>
#include <time.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int left = 3;
static void *one(void *x)
{
    pthread_mutex_lock(&m);
    if (--left == 0) pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
    return x;
}
int main(void)
{
    pthread_t t[2];
    pthread_create(&t[0], 0, one, 0);
    pthread_create(&t[1], 0, one, 0);
    pthread_mutex_lock(&m);
    while (left > 0) pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
    pthread_join(t[0], 0);
    pthread_join(t[1], 0);
    return 0;
}
