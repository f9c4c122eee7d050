/* Where the data begin changes while others run. */
#include <pthread.h>
int cells[4];
int *data = cells;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t locks[2] = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER };
extern int __VERIFIER_nondet_int(void);
void *work(void *unused)
{
    int k = __VERIFIER_nondet_int() & 1;
    pthread_mutex_lock(&m);
    int *from = data;
    pthread_mutex_unlock(&m);
    pthread_mutex_lock(&locks[k]);
    from[k]++;
    pthread_mutex_unlock(&locks[k]);
    return 0;
}
void *other(void *unused)
{
    pthread_mutex_lock(&m);
    data = cells + 1;
    int *from = data;
    pthread_mutex_unlock(&m);
    int k = __VERIFIER_nondet_int() & 1;
    pthread_mutex_lock(&locks[k]);
    from[k]++;
    pthread_mutex_unlock(&locks[k]);
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
