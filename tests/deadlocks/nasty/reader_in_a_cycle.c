/* UNSAFE: a writer waits for a reader that waits for a mutex of the writer */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
static pthread_rwlock_t table = PTHREAD_RWLOCK_INITIALIZER;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *one(void *argument)
{
    pthread_rwlock_rdlock(&table);
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    pthread_rwlock_unlock(&table);
    return argument;
}
static void *two(void *argument)
{
    pthread_mutex_lock(&m);
    pthread_rwlock_wrlock(&table);
    pthread_rwlock_unlock(&table);
    pthread_mutex_unlock(&m);
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
