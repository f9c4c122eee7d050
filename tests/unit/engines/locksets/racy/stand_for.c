/* A pointer that never changes is the variable itself: what is done through it is done to it. */
#include <pthread.h>
int x;
pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER, two = PTHREAD_MUTEX_INITIALIZER;
void *work(void *unused)
{
    pthread_mutex_t *const m = &one;
    int *const p = &x;
    pthread_mutex_lock(m);
    (*p)++;
    pthread_mutex_unlock(m);
    return 0;
}
void *other(void *unused)
{
    pthread_mutex_t *const m = &two;
    pthread_mutex_lock(m);
    x++;
    pthread_mutex_unlock(m);
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
