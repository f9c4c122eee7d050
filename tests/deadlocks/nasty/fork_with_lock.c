/* UNSAFE: the child has a lock whose owner is not there */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <unistd.h>
#include <errno.h>
#include <time.h>
#include <sys/wait.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *one(void *x)
{
    while (1) {
        pthread_mutex_lock(&m);
        pthread_mutex_unlock(&m);
    }
    return x;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, one, 0);
    if (fork() == 0) {
        pthread_mutex_lock(&m);
        _exit(0);
    }
    return 0;
}
