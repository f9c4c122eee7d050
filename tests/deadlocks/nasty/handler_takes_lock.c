/* UNSAFE: the handler takes a lock that the interrupted thread has */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <unistd.h>
#include <errno.h>
#include <time.h>
#include <signal.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void stop(int n)
{
    (void)n;
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
}
int main(void)
{
    signal(SIGUSR1, stop);
    pthread_mutex_lock(&m);
    raise(SIGUSR1);
    pthread_mutex_unlock(&m);
    return 0;
}
