/* UNSAFE: two pointers to one mutex */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t *p = &m, *q = &m;
static void *one(void *argument)
{
    pthread_mutex_lock(p);
    pthread_mutex_lock(q);
    pthread_mutex_unlock(q);
    pthread_mutex_unlock(p);
    return argument;
}
int main(void)
{
    pthread_t t[1];
    pthread_create(&t[0], 0, one, 0);
    pthread_join(t[0], 0);
    return 0;
}
