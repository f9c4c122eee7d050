/* UNSAFE: a reader that wants to write waits for itself */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
static pthread_rwlock_t table = PTHREAD_RWLOCK_INITIALIZER;
static void *one(void *argument)
{
    pthread_rwlock_rdlock(&table);
    pthread_rwlock_wrlock(&table);
    pthread_rwlock_unlock(&table);
    return argument;
}
int main(void)
{
    pthread_t t[1];
    pthread_create(&t[0], 0, one, 0);
    pthread_join(t[0], 0);
    return 0;
}
