// An array is filled before an atomic flag says so; with RACY: one element is written after that.
//
// expect races: SAFE
// expect -D RACY races: UNSAFE

#include <pthread.h>
#include <stdatomic.h>
static int payload[4];
static atomic_int ready;
static void *producer(void *arg)
{
    for (int i = 0; i < 4; i++)
        payload[i] = i * i;
#ifndef RACY
    atomic_store(&ready, 1);
#else
    atomic_store(&ready, 1);
    payload[3] = 0;
#endif
    return arg;
}
static void *consumer(void *arg)
{
    int sum = 0;
    while (!atomic_load(&ready))
        ;
    for (int i = 0; i < 4; i++)
        sum += payload[i];
    return (void *)(long)sum;
}
int main(void)
{
    pthread_t p, c;
    pthread_create(&p, NULL, producer, NULL);
    pthread_create(&c, NULL, consumer, NULL);
    pthread_join(p, NULL);
    pthread_join(c, NULL);
    return 0;
}
