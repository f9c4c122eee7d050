/* UNSAFE: main joins a thread that needs a lock of main */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *one(void *argument)
{
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    return argument;
}
int main(void)
{
    pthread_t t[1];
    pthread_create(&t[0], 0, one, 0);
    pthread_mutex_lock(&m);
    pthread_join(t[0], 0);
    pthread_mutex_unlock(&m);
    return 0;
}
