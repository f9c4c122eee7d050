/* UNSAFE: main posts what the thread waits for only after it has joined it */
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
    pthread_create(&t[0], 0, one, 0);
    pthread_join(t[0], 0);
    sem_post(&s);
    return 0;
}
