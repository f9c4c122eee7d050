/* UNSAFE: one way out of the back-off keeps the first lock and takes it again */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <unistd.h>
#include <errno.h>
#include <time.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static void *one(void *x)
{
    while (1) {
        pthread_mutex_lock(&a);
        if (pthread_mutex_trylock(&b) == 0) break;
    }
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    return x;
}
static void *two(void *x)
{
    pthread_mutex_lock(&b);
    pthread_mutex_unlock(&b);
    return x;
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
