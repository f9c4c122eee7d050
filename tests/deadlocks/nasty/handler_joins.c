/* UNSAFE: the handler joins a thread that needs a lock of main */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <unistd.h>
#include <errno.h>
#include <time.h>
#include <signal.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_t t;
static void *one(void *x)
{
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    return x;
}
static void stop(int n)
{
    (void)n;
    pthread_join(t, 0);
}
int main(void)
{
    pthread_create(&t, 0, one, 0);
    signal(SIGINT, stop);
    pthread_mutex_lock(&m);
    raise(SIGINT);
    pthread_mutex_unlock(&m);
    return 0;
}
