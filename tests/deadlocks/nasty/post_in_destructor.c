/* SAFE: the destructor of a key posts what another thread waits for */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <unistd.h>
#include <errno.h>
#include <time.h>
static pthread_key_t k;
static sem_t s;
static void gone(void *p)
{
    sem_post(p);
}
static void *one(void *x)
{
    pthread_setspecific(k, &s);
    return x;
}
static void *two(void *x)
{
    sem_wait(&s);
    return x;
}
int main(void)
{
    pthread_t t[2];
    sem_init(&s, 0, 0);
    pthread_key_create(&k, gone);
    pthread_create(&t[0], 0, one, 0);
    pthread_create(&t[1], 0, two, 0);
    pthread_join(t[0], 0);
    pthread_join(t[1], 0);
    return 0;
}
