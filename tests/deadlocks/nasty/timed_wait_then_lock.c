/* UNSAFE: the timed wait gives up and then takes the lock of the one who joins it */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <unistd.h>
#include <errno.h>
#include <time.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, k = PTHREAD_MUTEX_INITIALIZER;
static sem_t s;
static struct timespec until;
static void *one(void *x)
{
    if (sem_timedwait(&s, &until) != 0) {
        pthread_mutex_lock(&k);
        pthread_mutex_unlock(&k);
    }
    return x;
}
int main(void)
{
    pthread_t t[1];
    sem_init(&s, 0, 0);
    (void)m;
    pthread_mutex_lock(&k);
    pthread_create(&t[0], 0, one, 0);
    pthread_join(t[0], 0);
    return 0;
}
