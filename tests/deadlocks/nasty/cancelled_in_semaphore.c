/* SAFE: nobody posts, but main cancels the thread that waits */
#include <pthread.h>
#include <semaphore.h>
static sem_t s;
static void *one(void *argument)
{
    sem_wait(&s);
    return argument;
}
int main(void)
{
    pthread_t t;
    sem_init(&s, 0, 0);
    pthread_create(&t, 0, one, 0);
    pthread_cancel(t);
    pthread_join(t, 0);
    return 0;
}
