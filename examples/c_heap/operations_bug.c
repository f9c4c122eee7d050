// The bug: one of the functions counts without the lock. The correct program is operations.c.
//
// expect assertions: UNSAFE

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct object {
    pthread_mutex_t lock;
    int one, two;
    void (*touch)(struct object *);
};

static struct object *shared;

static void both(struct object *o)
{
    pthread_mutex_lock(&o->lock);
    assert(o->one == o->two);
    o->one++;
    o->two++;
    pthread_mutex_unlock(&o->lock);
}

static void none(struct object *o)
{
    o->one++;
    o->one--;
}

static void *work(void *argument)
{
    shared->touch(shared);
    none(shared);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    shared = malloc(sizeof *shared);
    pthread_mutex_init(&shared->lock, NULL);
    shared->one = 0;
    shared->two = 0;
    shared->touch = both;
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, work, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
