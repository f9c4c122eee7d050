/* Locks and data are indexed alike, but one thread's locks begin one later. */
#include <pthread.h>
#include <stdlib.h>
int *data;
pthread_mutex_t *locks, *later;
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
    pthread_mutex_lock(&later[k]);
    data[k]++;
    pthread_mutex_unlock(&later[k]);
    return 0;
}
int main(void)
{
    pthread_t a, b;
    data = calloc(2, sizeof *data);
    locks = malloc(3 * sizeof *locks);
    for (int i = 0; i < 3; i++)
        pthread_mutex_init(&locks[i], 0);
    later = locks + 1;
    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, other, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
