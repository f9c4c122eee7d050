/* UNSAFE: the comparison takes the lock under which is sorted */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <unistd.h>
#include <errno.h>
#include <time.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int v[2] = { 2, 1 };
static int order(const void *a, const void *b)
{
    int r;
    pthread_mutex_lock(&m);
    r = *(const int *)a - *(const int *)b;
    pthread_mutex_unlock(&m);
    return r;
}
int main(void)
{
    pthread_mutex_lock(&m);
    qsort(v, 2, sizeof(int), order);
    pthread_mutex_unlock(&m);
    return 0;
}
