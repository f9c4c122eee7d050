/* UNSAFE: a thread that may be cancelled anywhere */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <unistd.h>
#include <errno.h>
#include <time.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *one(void *x)
{
    int o;
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &o);
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    return x;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, one, 0);
    pthread_cancel(t);
    pthread_join(t, 0);
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    return 0;
}
