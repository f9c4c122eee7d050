/* SAFE: opposite orders, but the second lock is tried and the first given back: busy, not blocked */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t b = PTHREAD_MUTEX_INITIALIZER;
static void *one(void *argument)
{
    pthread_mutex_lock(&a);
    while (pthread_mutex_trylock(&b) != 0) {
        pthread_mutex_unlock(&a);
        pthread_mutex_lock(&a);
    }
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    return argument;
}
static void *two(void *argument)
{
    pthread_mutex_lock(&b);
    while (pthread_mutex_trylock(&a) != 0) {
        pthread_mutex_unlock(&b);
        pthread_mutex_lock(&b);
    }
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
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
