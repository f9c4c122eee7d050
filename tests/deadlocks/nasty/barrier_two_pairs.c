/* SAFE: four come to a barrier for two */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
static pthread_barrier_t b;
static void *one(void *argument)
{
    pthread_barrier_wait(&b);
    return argument;
}
int main(void)
{
    pthread_t t[4];
    pthread_barrier_init(&b, 0, 2);
    pthread_create(&t[0], 0, one, 0);
    pthread_create(&t[1], 0, one, 0);
    pthread_create(&t[2], 0, one, 0);
    pthread_create(&t[3], 0, one, 0);
    pthread_join(t[0], 0);
    pthread_join(t[1], 0);
    pthread_join(t[2], 0);
    pthread_join(t[3], 0);
    return 0;
}
