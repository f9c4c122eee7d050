/* SAFE: the same, in one order */
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
int main(void)
{
    pthread_t t[2];
    sem_init(&a, 0, 1);
    sem_init(&b, 0, 1);
    pthread_create(&t[0], 0, one, 0);
    pthread_create(&t[1], 0, one, 0);
    pthread_join(t[0], 0);
    pthread_join(t[1], 0);
    return 0;
}
