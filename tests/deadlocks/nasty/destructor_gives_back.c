/* SAFE: the destructor of the key gives the lock back */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_key_t key;
static void ends(void *value)
{
    pthread_mutex_unlock(value);
}
static void *one(void *argument)
{
    pthread_setspecific(key, &m);
    pthread_mutex_lock(&m);
    return argument;
}
int main(void)
{
    pthread_t t[2];
    pthread_key_create(&key, ends);
    pthread_create(&t[0], 0, one, 0);
    pthread_create(&t[1], 0, one, 0);
    pthread_join(t[0], 0);
    pthread_join(t[1], 0);
    return 0;
}
