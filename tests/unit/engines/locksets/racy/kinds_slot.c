#include <pthread.h>
/* The ids of two threads go to one element: the first is lost. */
int data;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void *read(void *arg)
{
    pthread_mutex_lock(&m);
    data++;
    pthread_mutex_unlock(&m);
    return 0;
}
void *write(void *arg)
{
    pthread_mutex_lock(&m);
    data = 1;
    pthread_mutex_unlock(&m);
    return 0;
}
int main(void)
{
    pthread_t t[4], self = pthread_self();
    for (int i = 0; i < 4; i++)
        t[i] = self;
    for (int i = 0; i < 4; i++) {
        pthread_create(&t[i / 2], 0, i % 2 ? write : read, 0);
    }
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], 0);
    return data;
}
