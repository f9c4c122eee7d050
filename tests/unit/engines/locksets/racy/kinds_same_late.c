#include <pthread.h>
/* One id is not kept. */
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
        pthread_t u; pthread_create(&u, 0, i % 2 ? write : read, 0); if (i != 1) t[i] = u;
    }
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], 0);
    return data;
}
