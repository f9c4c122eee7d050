// Locks and data in nested structs; with RACY: half of the data is without.
//
// expect races: SAFE
// expect -D RACY races: UNSAFE

#include <pthread.h>
struct stats { long in, out; };
struct conn { int fd; struct { pthread_mutex_t m; struct stats s; } guarded; };
static struct { struct conn first; struct conn rest[3]; } server;
static void count(struct conn *c, long n)
{
    pthread_mutex_lock(&c->guarded.m);
    c->guarded.s.in += n;
    pthread_mutex_unlock(&c->guarded.m);
#ifdef RACY
    c->guarded.s.out += n;
#else
    pthread_mutex_lock(&c->guarded.m);
    c->guarded.s.out += n;
    pthread_mutex_unlock(&c->guarded.m);
#endif
}
static void *worker(void *arg)
{
    count(&server.first, 1);
    for (int i = 0; i < 3; i++)
        count(&server.rest[i], 2);
    return arg;
}
int main(void)
{
    pthread_t s, t;
    pthread_mutex_init(&server.first.guarded.m, 0);
    for (int i = 0; i < 3; i++)
        pthread_mutex_init(&server.rest[i].guarded.m, 0);
    pthread_create(&s, 0, worker, 0);
    pthread_create(&t, 0, worker, 0);
    pthread_join(s, 0);
    pthread_join(t, 0);
    return (int)server.first.guarded.s.in;
}
