/* Ids in an array: the index is not known, so the wrong one may be joined. */
#include <pthread.h>
pthread_t ids[2];
int x[2];
extern int __VERIFIER_nondet_int(void);
void *work(void *argument)
{
    x[(long)argument]++;
    return 0;
}
int main(void)
{
    for (long i = 0; i < 2; i++)
        pthread_create(&ids[i], 0, work, (void *)i);
    ids[__VERIFIER_nondet_int() & 1] = ids[1];
    pthread_join(ids[0], 0);
    x[0]++;
    return 0;
}
