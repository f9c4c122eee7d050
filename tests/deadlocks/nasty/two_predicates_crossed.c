/* UNSAFE: the consumer signals the condition on which consumers wait */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <unistd.h>
#include <errno.h>
#include <time.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t full = PTHREAD_COND_INITIALIZER, empty = PTHREAD_COND_INITIALIZER;
static int n;
static void *put(void *x)
{
    int i;
    for (i = 0; i < 2; i++) {
        pthread_mutex_lock(&m);
        while (n == 1) pthread_cond_wait(&empty, &m);
        n = 1;
        pthread_cond_signal(&full);
        pthread_mutex_unlock(&m);
    }
    return x;
}
static void *get(void *x)
{
    int i;
    for (i = 0; i < 2; i++) {
        pthread_mutex_lock(&m);
        while (n == 0) pthread_cond_wait(&full, &m);
        n = 0;
        pthread_cond_signal(&full);
        pthread_mutex_unlock(&m);
    }
    return x;
}
int main(void)
{
    pthread_t t[2];
    pthread_create(&t[0], 0, put, 0);
    pthread_create(&t[1], 0, get, 0);
    pthread_join(t[0], 0);
    pthread_join(t[1], 0);
    return 0;
}
