/* SAFE: who posts is started by a thread that was started */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <unistd.h>
#include <errno.h>
#include <time.h>
static sem_t s;
static void *grandchild(void *x)
{
    sem_post(&s);
    return x;
}
static void *child(void *x)
{
    pthread_t t;
    pthread_create(&t, 0, grandchild, 0);
    pthread_detach(t);
    return x;
}
static void *waiter(void *x)
{
    sem_wait(&s);
    return x;
}
int main(void)
{
    pthread_t t[2];
    sem_init(&s, 0, 0);
    pthread_create(&t[0], 0, waiter, 0);
    pthread_create(&t[1], 0, child, 0);
    pthread_join(t[0], 0);
    pthread_join(t[1], 0);
    return 0;
}
