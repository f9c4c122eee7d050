#include <pthread.h>
/* Threads of one kind are never joined: their ids are not in the array. */
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
    pthread_t t[4], u, self = pthread_self();
    for (int i = 0; i < 4; i++)
        t[i] = self;
    for (int i = 0; i < 4; i++) {
        if (i % 2) pthread_create(&t[i], 0, write, 0); else { pthread_create(&u, 0, read, 0); t[i] = self; }
    }
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], 0);
    return data;
}
