/* SAFE: two readers want to write, and one of them gives up after a while */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <unistd.h>
#include <errno.h>
#include <time.h>
static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
static struct timespec until;
static void *one(void *x)
{
    pthread_rwlock_rdlock(&l);
    if (pthread_rwlock_timedwrlock(&l, &until) == 0) pthread_rwlock_unlock(&l);
    else pthread_rwlock_unlock(&l);
    return x;
}
static void *two(void *x)
{
    pthread_rwlock_wrlock(&l);
    pthread_rwlock_unlock(&l);
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
