/* UNSAFE: one condition for two predicates: the signal may wake the wrong waiter */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int left, right;
static void *one(void *argument)
{
    pthread_mutex_lock(&m);
    while (!left)
        pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
    return argument;
}
static void *two(void *argument)
{
    pthread_mutex_lock(&m);
    while (!right)
        pthread_cond_wait(&c, &m);
    left = 1;
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
    return argument;
}
static void *three(void *argument)
{
    pthread_mutex_lock(&m);
    right = 1;
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
    return argument;
}
int main(void)
{
    pthread_t t[3];
    pthread_create(&t[0], 0, one, 0);
    pthread_create(&t[1], 0, two, 0);
    pthread_create(&t[2], 0, three, 0);
    pthread_join(t[0], 0);
    pthread_join(t[1], 0);
    pthread_join(t[2], 0);
    return 0;
}
