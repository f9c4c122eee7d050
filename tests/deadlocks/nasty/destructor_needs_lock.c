/* UNSAFE: the destructor of the key waits for a lock with which its thread ended */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_key_t key;
static void ends(void *value)
{
    (void)value;
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
}
static void *one(void *argument)
{
    pthread_setspecific(key, &m);
    pthread_mutex_lock(&m);
    return argument;
}
int main(void)
{
    pthread_t t[1];
    pthread_key_create(&key, ends);
    pthread_create(&t[0], 0, one, 0);
    pthread_join(t[0], 0);
    return 0;
}
