/* UNSAFE: two semaphores serve as locks and are taken in opposite orders */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
static sem_t a, b;
static void *one(void *argument)
{
    sem_wait(&a);
    sem_wait(&b);
    sem_post(&b);
    sem_post(&a);
    return argument;
}
static void *two(void *argument)
{
    sem_wait(&b);
    sem_wait(&a);
    sem_post(&a);
    sem_post(&b);
    return argument;
}
int main(void)
{
    pthread_t t[2];
    sem_init(&a, 0, 1);
    sem_init(&b, 0, 1);
    pthread_create(&t[0], 0, one, 0);
    pthread_create(&t[1], 0, two, 0);
    pthread_join(t[0], 0);
    pthread_join(t[1], 0);
    return 0;
}
