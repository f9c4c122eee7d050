/* UNSAFE: one thread comes twice, the other once */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
static pthread_barrier_t b;
static void *one(void *argument)
{
    pthread_barrier_wait(&b);
    pthread_barrier_wait(&b);
    return argument;
}
static void *two(void *argument)
{
    pthread_barrier_wait(&b);
    return argument;
}
int main(void)
{
    pthread_t t[2];
    pthread_barrier_init(&b, 0, 2);
    pthread_create(&t[0], 0, one, 0);
    pthread_create(&t[1], 0, two, 0);
    pthread_join(t[0], 0);
    pthread_join(t[1], 0);
    return 0;
}
