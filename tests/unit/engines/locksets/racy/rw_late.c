/* What was read under the lock is written after it was given back. */
#include <pthread.h>
pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
int n;
void *work(void *unused)
{
    for (int i = 0; i < 3; i++) {
        pthread_rwlock_wrlock(&lock);
        n = i;
        pthread_rwlock_unlock(&lock);
    }
    return 0;
}
void *other(void *unused)
{
    pthread_rwlock_tryrdlock(&lock);
    int found = n;
    pthread_rwlock_unlock(&lock);
    return (void *)(long)found;
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
