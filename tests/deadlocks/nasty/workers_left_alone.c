/* UNSAFE: main ends with pthread_exit and the worker waits for work for ever; by default that is idle */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
static sem_t work;
static int done;
static void *one(void *argument)
{
    for (;;) {
        sem_wait(&work);
        done = 1;
    }
    return argument;
}
int main(void)
{
    pthread_t t[1];
    sem_init(&work, 0, 0);
    pthread_create(&t[0], 0, one, 0);
    sem_post(&work);
    pthread_exit(0);
    return 0;
}
