/* SAFE: opposite orders, but the second thread is started when the first was joined */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <unistd.h>
#include <errno.h>
#include <time.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t b = PTHREAD_MUTEX_INITIALIZER;
static void ab(void)
{
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b);
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
}
static void ba(void)
{
    pthread_mutex_lock(&b);
    pthread_mutex_lock(&a);
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
}
static void *one(void *x)
{
    ab();
    return x;
}
static void *two(void *x)
{
    ba();
    return x;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, one, 0);
    pthread_join(t, 0);
    pthread_create(&t, 0, two, 0);
    pthread_join(t, 0);
    return 0;
}
