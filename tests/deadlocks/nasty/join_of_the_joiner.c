/* UNSAFE: three threads join each other in a cycle */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
static pthread_t first, second, third;
static sem_t known;
static void *one(void *argument)
{
    sem_wait(&known);
    pthread_join(second, 0);
    return argument;
}
static void *two(void *argument)
{
    pthread_join(third, 0);
    return argument;
}
static void *three(void *argument)
{
    pthread_join(first, 0);
    return argument;
}
int main(void)
{
    sem_init(&known, 0, 0);
    pthread_create(&first, 0, one, 0);
    pthread_create(&third, 0, three, 0);
    pthread_create(&second, 0, two, 0);
    sem_post(&known);
    pthread_exit(0);
}
