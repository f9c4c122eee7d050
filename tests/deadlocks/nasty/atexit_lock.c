/* UNSAFE: what runs at exit takes a lock that main has */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <unistd.h>
#include <errno.h>
#include <time.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void last(void)
{
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
}
int main(void)
{
    atexit(last);
    pthread_mutex_lock(&m);
    exit(0);
}
