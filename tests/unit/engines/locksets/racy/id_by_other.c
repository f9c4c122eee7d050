/* Another thread changes the id that is joined. */
#include <pthread.h>
pthread_t first, second;
int x;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void *work(void *unused)
{
    x++;
    return 0;
}
void *other(void *unused)
{
    pthread_mutex_lock(&m);
    first = second;
    pthread_mutex_unlock(&m);
    return 0;
}
int main(void)
{
    pthread_create(&first, 0, work, 0);
    pthread_mutex_lock(&m);
    pthread_create(&second, 0, other, 0);
    pthread_mutex_unlock(&m);
    pthread_mutex_lock(&m);
    pthread_t joined = first;
    pthread_mutex_unlock(&m);
    pthread_join(joined, 0);
    x++;
    return 0;
}
