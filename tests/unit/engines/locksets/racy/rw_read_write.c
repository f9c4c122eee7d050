/* Held for reading by both, and one of them writes. */
#include <pthread.h>
pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
int n;
void *work(void *unused)
{
    pthread_rwlock_rdlock(&lock);
    int found = n;
    pthread_rwlock_unlock(&lock);
    return (void *)(long)found;
}
void *other(void *unused)
{
    pthread_rwlock_rdlock(&lock);
    if (n == 0)
        n = 1;
    pthread_rwlock_unlock(&lock);
    pthread_rwlock_wrlock(&lock);
    n = 2;
    pthread_rwlock_unlock(&lock);
    return 0;
}
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, other, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
