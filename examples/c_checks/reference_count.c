// The last one who gives an object back frees it; with RACY: its members are used after the count was changed.
//
// expect races: SAFE
// expect -D RACY races: UNSAFE

#include <pthread.h>
#include <stdlib.h>
struct obj { pthread_mutex_t m; int refs; int value; };
static struct obj *get(struct obj *o)
{
    pthread_mutex_lock(&o->m);
    o->refs++;
    pthread_mutex_unlock(&o->m);
    return o;
}
static void put(struct obj *o)
{
    pthread_mutex_lock(&o->m);
    int left = --o->refs;
#ifndef RACY
    o->value++;
#endif
    pthread_mutex_unlock(&o->m);
#ifdef RACY
    o->value++;
#endif
    if (left == 0) {
        pthread_mutex_destroy(&o->m);
        free(o);
    }
}
static void *worker(void *arg)
{
    struct obj *o = arg;
    put(get(o));
    put(o);
    return NULL;
}
int main(void)
{
    pthread_t s, t;
    struct obj *o = malloc(sizeof *o);
    if (!o)
        return 1;
    pthread_mutex_init(&o->m, NULL);
    o->refs = 3;
    o->value = 0;
    pthread_create(&s, 0, worker, o);
    pthread_create(&t, 0, worker, o);
    put(o);
    pthread_join(s, 0);
    pthread_join(t, 0);
    return 0;
}
