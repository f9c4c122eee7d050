/* UNSAFE: the initialisation joins a thread that waits for it */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <unistd.h>
#include <errno.h>
#include <time.h>
static pthread_once_t o = PTHREAD_ONCE_INIT;
static pthread_t helper;
static void start(void);
static void *help(void *x)
{
    pthread_once(&o, start);
    return x;
}
static void start(void)
{
    pthread_create(&helper, 0, help, 0);
    pthread_join(helper, 0);
}
static void *one(void *x)
{
    pthread_once(&o, start);
    return x;
}
int main(void)
{
    pthread_t t[1];
    pthread_create(&t[0], 0, one, 0);
    pthread_join(t[0], 0);
    return 0;
}
