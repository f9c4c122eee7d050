/* SAFE: a thread raises the signal whose handler posts */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <signal.h>
static sem_t s;
static void handler(int number)
{
    (void)number;
    sem_post(&s);
}
static void *one(void *argument)
{
    raise(SIGUSR1);
    return argument;
}
int main(void)
{
    pthread_t t[1];
    sem_init(&s, 0, 0);
    signal(SIGUSR1, handler);
    pthread_create(&t[0], 0, one, 0);
    sem_wait(&s);
    pthread_join(t[0], 0);
    return 0;
}
