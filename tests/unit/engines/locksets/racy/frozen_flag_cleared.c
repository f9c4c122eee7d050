#include <pthread.h>
/* The flag that says whether to lock is cleared before the last thread has ended. */
int threaded, data;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void update(int lock)
{
    if (lock)
        pthread_mutex_lock(&m);
    data++;
    if (lock)
        pthread_mutex_unlock(&m);
}
void *work(void *arg)
{
    update(1);
    return 0;
}
int main(void)
{
    pthread_t a, b;
    threaded = 1;
    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, work, 0);
    update(threaded);
    pthread_join(a, 0);
    threaded = 0;
    update(threaded);
    pthread_join(b, 0);
    return 0;
}
