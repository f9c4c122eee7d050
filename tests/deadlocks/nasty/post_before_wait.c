/* SAFE: a semaphore remembers what was posted before anybody waited */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
static sem_t s;
static void *one(void *argument)
{
    sem_wait(&s);
    return argument;
}
int main(void)
{
    pthread_t t[1];
    sem_init(&s, 0, 0);
    sem_post(&s);
    pthread_create(&t[0], 0, one, 0);
    pthread_join(t[0], 0);
    return 0;
}
