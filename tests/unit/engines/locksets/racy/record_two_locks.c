/* Two locks in one record; each thread holds another one. */
#include <pthread.h>
struct pair { pthread_mutex_t m[2]; int x; };
struct pair pairs[2] = { { { PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER }, 0 },
                         { { PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER }, 0 } };
extern int __VERIFIER_nondet_int(void);
void *work(void *unused)
{
    struct pair *p = &pairs[__VERIFIER_nondet_int() & 1];
    pthread_mutex_lock(&p->m[0]);
    p->x++;
    pthread_mutex_unlock(&p->m[0]);
    return 0;
}
void *other(void *unused)
{
    struct pair *p = &pairs[__VERIFIER_nondet_int() & 1];
    pthread_mutex_lock(&p->m[1]);
    p->x++;
    pthread_mutex_unlock(&p->m[1]);
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
