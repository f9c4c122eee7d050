/* UNSAFE: locked twice, given back once: the thread ends with it */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
static pthread_mutex_t m;
static void *one(void *argument)
{
    pthread_mutex_lock(&m);
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    return argument;
}
static void *two(void *argument)
{
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    return argument;
}
int main(void)
{
    pthread_t t[2];
    pthread_mutexattr_t how;
    pthread_mutexattr_init(&how);
    pthread_mutexattr_settype(&how, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&m, &how);
    pthread_create(&t[0], 0, one, 0);
    pthread_create(&t[1], 0, two, 0);
    pthread_join(t[0], 0);
    pthread_join(t[1], 0);
    return 0;
}
