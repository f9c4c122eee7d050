/* SAFE: the lock is given back before the child is joined */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *child(void *argument)
{
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    return argument;
}
static void *parent(void *argument)
{
    pthread_t c;
    pthread_mutex_lock(&m);
    pthread_create(&c, 0, child, 0);
    pthread_mutex_unlock(&m);
    pthread_join(c, 0);
    return argument;
}
int main(void)
{
    pthread_t t[1];
    pthread_create(&t[0], 0, parent, 0);
    pthread_join(t[0], 0);
    return 0;
}
