/* The same index from two beginnings: the same cell, another lock. */
#include <pthread.h>
int cells[4];
int *data = cells, *shifted = cells + 1;
pthread_mutex_t locks[4] = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
                             PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER };
extern int __VERIFIER_nondet_int(void);
void *work(void *unused)
{
    int k = __VERIFIER_nondet_int() & 1;
    pthread_mutex_lock(&locks[k]);
    data[k]++;
    pthread_mutex_unlock(&locks[k]);
    return 0;
}
void *other(void *unused)
{
    int k = __VERIFIER_nondet_int() & 1;
    pthread_mutex_lock(&locks[k]);
    shifted[k]++;
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
