/* UNSAFE: the way out by goto forgets the inner lock */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <unistd.h>
#include <errno.h>
#include <time.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static int n;
static int work(void)
{
    int r = -1;
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b);
    if (++n == 2) goto out;
    r = 0;
    pthread_mutex_unlock(&b);
    out: pthread_mutex_unlock(&a);
    return r;
}
static void *one(void *x)
{
    work();
    return x;
}
int main(void)
{
    pthread_t t[3];
    pthread_create(&t[0], 0, one, 0);
    pthread_create(&t[1], 0, one, 0);
    pthread_create(&t[2], 0, one, 0);
    pthread_join(t[0], 0);
    pthread_join(t[1], 0);
    pthread_join(t[2], 0);
    return 0;
}
