/* SAFE: what a thread waits for is posted behind a call that is not modelled */
#include <pthread.h>
#include <semaphore.h>
static sem_t s;
static void clean(void *argument)
{
    (void)argument;
}
static void *one(void *argument)
{
    sem_wait(&s);
    return argument;
}
static void *two(void *argument)
{
    pthread_cleanup_push(clean, 0);
    pthread_cleanup_pop(1);
    return argument;
}
int main(void)
{
    pthread_t t[2];
    sem_init(&s, 0, 0);
    pthread_create(&t[0], 0, one, 0);
    pthread_create(&t[1], 0, two, 0);
    pthread_cancel(t[1]);
    sem_post(&s);
    pthread_join(t[0], 0);
    pthread_join(t[1], 0);
    return 0;
}
