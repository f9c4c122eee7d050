/* UNSAFE: a thread that is cancelled in the wait has the mutex again, and ends with it */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int ready;
static void *one(void *argument)
{
    pthread_mutex_lock(&m);
    while (!ready)
        pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
    return argument;
}
int main(void)
{
    pthread_t t[1];
    pthread_create(&t[0], 0, one, 0);
    pthread_cancel(t[0]);
    pthread_join(t[0], 0);
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    return 0;
}
