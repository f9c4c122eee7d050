/* UNSAFE: who waits at the barrier has the lock that the other one needs to get there */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
static pthread_barrier_t b;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *one(void *argument)
{
    pthread_mutex_lock(&m);
    pthread_barrier_wait(&b);
    pthread_mutex_unlock(&m);
    return argument;
}
int main(void)
{
    pthread_t t[2];
    pthread_barrier_init(&b, 0, 2);
    pthread_create(&t[0], 0, one, 0);
    pthread_create(&t[1], 0, one, 0);
    pthread_join(t[0], 0);
    pthread_join(t[1], 0);
    return 0;
}
