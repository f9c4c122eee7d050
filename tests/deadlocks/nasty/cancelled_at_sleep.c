/* UNSAFE: a thread is cancelled in sleep, which is a cancellation point, and ends with the lock */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <unistd.h>
#include <errno.h>
#include <time.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *one(void *x)
{
    pthread_mutex_lock(&m);
    sleep(1);
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
