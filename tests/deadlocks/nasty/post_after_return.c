/* SAFE: the post comes after the calls on the stack have returned */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <unistd.h>
#include <errno.h>
#include <time.h>
static sem_t s, go;
static int deep(int n)
{
    if (n == 0) {
        sem_wait(&go);
        return 0;
    }
    return deep(n - 1) + 1;
}
static void *one(void *x)
{
    deep(3);
    sem_post(&s);
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
    sem_init(&go, 0, 0);
    pthread_create(&t[0], 0, one, 0);
    pthread_create(&t[1], 0, two, 0);
    sem_post(&go);
    pthread_join(t[0], 0);
    pthread_join(t[1], 0);
    return 0;
}
