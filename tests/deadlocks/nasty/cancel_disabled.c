/* UNSAFE: the thread that is cancelled does not let itself be cancelled */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <unistd.h>
#include <errno.h>
#include <time.h>
static sem_t s;
static void *one(void *x)
{
    int old;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old);
    sem_wait(&s);
    return x;
}
int main(void)
{
    pthread_t t[1];
    sem_init(&s, 0, 0);
    pthread_create(&t[0], 0, one, 0);
    pthread_cancel(t[0]);
    pthread_join(t[0], 0);
    return 0;
}
