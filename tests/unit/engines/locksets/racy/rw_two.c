/* Two read-write locks side by side: one is held for reading, the other one for writing. */
#include <pthread.h>
struct cache { pthread_rwlock_t one, two; int n; };
struct cache cache = { PTHREAD_RWLOCK_INITIALIZER, PTHREAD_RWLOCK_INITIALIZER, 0 };
int seen;
void *work(void *unused)
{
    pthread_rwlock_rdlock(&cache.one);
    int n = cache.n;
    pthread_rwlock_unlock(&cache.one);
    return (void *)(long)n;
}
void *other(void *unused)
{
    pthread_rwlock_wrlock(&cache.two);
    cache.n = 1;
    pthread_rwlock_unlock(&cache.two);
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
