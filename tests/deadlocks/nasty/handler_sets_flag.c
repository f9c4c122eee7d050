/* SAFE: the handler only sets a flag */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <unistd.h>
#include <errno.h>
#include <time.h>
#include <signal.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static volatile sig_atomic_t stopped;
static void stop(int n)
{
    (void)n;
    stopped = 1;
}
int main(void)
{
    signal(SIGINT, stop);
    while (!stopped) {
        pthread_mutex_lock(&m);
        pthread_mutex_unlock(&m);
    }
    return 0;
}
