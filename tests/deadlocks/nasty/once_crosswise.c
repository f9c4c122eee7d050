/* UNSAFE: two initialisations need each other, so each waits for itself */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
static pthread_once_t first = PTHREAD_ONCE_INIT, second = PTHREAD_ONCE_INIT;
static void init_first(void);
static void init_second(void);
static void init_first(void)
{
    pthread_once(&second, init_second);
}
static void init_second(void)
{
    pthread_once(&first, init_first);
}
static void *one(void *argument)
{
    pthread_once(&first, init_first);
    return argument;
}
static void *two(void *argument)
{
    pthread_once(&second, init_second);
    return argument;
}
int main(void)
{
    pthread_t t[2];
    pthread_create(&t[0], 0, one, 0);
    pthread_create(&t[1], 0, two, 0);
    pthread_join(t[0], 0);
    pthread_join(t[1], 0);
    return 0;
}
