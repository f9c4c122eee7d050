/* UNSAFE: the initialisation needs a lock with which another thread waits for it */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
static pthread_once_t first = PTHREAD_ONCE_INIT, second = PTHREAD_ONCE_INIT;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void init_first(void)
{
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
}
static void *one(void *argument)
{
    pthread_once(&first, init_first);
    return argument;
}
static void *two(void *argument)
{
    pthread_mutex_lock(&m);
    pthread_once(&first, init_first);
    pthread_mutex_unlock(&m);
    return argument;
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
