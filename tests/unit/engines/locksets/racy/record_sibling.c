/* The lock of the neighbour: the same type, another record. */
#include <pthread.h>
struct bucket { pthread_mutex_t m; int x; };
struct bucket b[2] = { { PTHREAD_MUTEX_INITIALIZER, 0 }, { PTHREAD_MUTEX_INITIALIZER, 0 } };
extern int __VERIFIER_nondet_int(void);
void *work(void *unused)
{
    int i = __VERIFIER_nondet_int() & 1;
    struct bucket *here = &b[i], *there = &b[1 - i];
    pthread_mutex_lock(&there->m);
    here->x++;
    pthread_mutex_unlock(&there->m);
    return 0;
}
void *other(void *unused)
{
    int i = __VERIFIER_nondet_int() & 1;
    pthread_mutex_lock(&b[i].m);
    b[i].x++;
    pthread_mutex_unlock(&b[i].m);
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
