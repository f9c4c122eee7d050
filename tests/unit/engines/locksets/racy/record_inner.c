/* One holds the lock of the inner record, the other that of the outer one. */
#include <pthread.h>
struct inner { pthread_mutex_t m; int x; };
struct outer { pthread_mutex_t m; struct inner in[2]; };
struct outer o = { PTHREAD_MUTEX_INITIALIZER,
                   { { PTHREAD_MUTEX_INITIALIZER, 0 }, { PTHREAD_MUTEX_INITIALIZER, 0 } } };
void *work(void *unused)
{
    struct inner *in = &o.in[1];
    pthread_mutex_lock(&in->m);
    in->x++;
    pthread_mutex_unlock(&in->m);
    return 0;
}
void *other(void *unused)
{
    pthread_mutex_lock(&o.m);
    o.in[1].x++;
    pthread_mutex_unlock(&o.m);
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
