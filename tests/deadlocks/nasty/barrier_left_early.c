/* UNSAFE: one thread leaves by an error before the last round */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <unistd.h>
#include <errno.h>
#include <time.h>
static pthread_barrier_t b;
extern int rand(void);
static void *one(void *x)
{
    int i;
    for (i = 0; i < 2; i++) {
        if (i == 1 && rand() == 0) return x;
        pthread_barrier_wait(&b);
    }
    return x;
}
static void *two(void *x)
{
    int i;
    for (i = 0; i < 2; i++) pthread_barrier_wait(&b);
    return x;
}
int main(void)
{
    pthread_t t[2];
    pthread_barrier_init(&b, 0, 2);
    pthread_create(&t[0], 0, one, 0);
    pthread_create(&t[1], 0, two, 0);
    pthread_join(t[0], 0);
    pthread_join(t[1], 0);
    return 0;
}
