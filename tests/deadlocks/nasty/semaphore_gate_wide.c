/* UNSAFE: the gate lets two in */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
static sem_t gate;
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t b = PTHREAD_MUTEX_INITIALIZER;
static void *one(void *argument)
{
    sem_wait(&gate);
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b);
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    sem_post(&gate);
    return argument;
}
static void *two(void *argument)
{
    sem_wait(&gate);
    pthread_mutex_lock(&b);
    pthread_mutex_lock(&a);
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    sem_post(&gate);
    return argument;
}
int main(void)
{
    pthread_t t[2];
    sem_init(&gate, 0, 2);
    pthread_create(&t[0], 0, one, 0);
    pthread_create(&t[1], 0, two, 0);
    pthread_join(t[0], 0);
    pthread_join(t[1], 0);
    return 0;
}
