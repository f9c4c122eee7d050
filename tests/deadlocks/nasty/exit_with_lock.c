/* SAFE: exit ends the program: nobody waits for the lock for ever */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *one(void *argument)
{
    pthread_mutex_lock(&m);
    exit(0);
    return argument;
}
static void *two(void *argument)
{
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    return argument;
}
int main(void)
{
    pthread_t t[2];
    pthread_create(&t[0], 0, one, 0);
    pthread_create(&t[1], 0, two, 0);
    pthread_join(t[0], 0);
    pthread_join(t[1], 0);
    return 0;
}
