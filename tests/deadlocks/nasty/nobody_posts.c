/* UNSAFE: the only post is in a function that nobody calls and no handler is installed */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
static sem_t s;
void handler(int number)
{
    (void)number;
    sem_post(&s);
}
static void *one(void *argument)
{
    
    return argument;
}
int main(void)
{
    pthread_t t[1];
    sem_init(&s, 0, 0);
    pthread_create(&t[0], 0, one, 0);
    sem_wait(&s);
    pthread_join(t[0], 0);
    return 0;
}
