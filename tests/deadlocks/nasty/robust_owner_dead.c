/* SAFE: the owner ends with a robust mutex: the next one gets it, and EOWNERDEAD */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <unistd.h>
#include <errno.h>
#include <time.h>
static pthread_mutex_t m;
static void *one(void *x)
{
    pthread_mutex_lock(&m);
    return x;
}
static void *two(void *x)
{
    if (pthread_mutex_lock(&m) == EOWNERDEAD) pthread_mutex_consistent(&m);
    pthread_mutex_unlock(&m);
    return x;
}
int main(void)
{
    pthread_t t[2];
    pthread_mutexattr_t k;
    pthread_mutexattr_init(&k);
    pthread_mutexattr_setrobust(&k, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&m, &k);
    pthread_create(&t[0], 0, one, 0);
    pthread_create(&t[1], 0, two, 0);
    pthread_join(t[0], 0);
    pthread_join(t[1], 0);
    return 0;
}
