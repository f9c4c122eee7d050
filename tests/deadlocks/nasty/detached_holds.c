/* UNSAFE: a detached thread ends with the lock that main needs */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <unistd.h>
#include <errno.h>
#include <time.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static sem_t s;
static void *one(void *x)
{
    pthread_detach(pthread_self());
    pthread_mutex_lock(&m);
    sem_post(&s);
    return x;
}
int main(void)
{
    pthread_t t;
    sem_init(&s, 0, 0);
    pthread_create(&t, 0, one, 0);
    sem_wait(&s);
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    return 0;
}
