/* SAFE: with three units one of two threads gets two */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
static sem_t units;
static void *one(void *argument)
{
    sem_wait(&units);
    sem_wait(&units);
    sem_post(&units);
    sem_post(&units);
    return argument;
}
int main(void)
{
    pthread_t t[2];
    sem_init(&units, 0, 3);
    pthread_create(&t[0], 0, one, 0);
    pthread_create(&t[1], 0, one, 0);
    pthread_join(t[0], 0);
    pthread_join(t[1], 0);
    return 0;
}
