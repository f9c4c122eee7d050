// Locks behind wrappers that take a pointer, two objects of one type; with BUG one path uses the other's lock.
//
// expect races: SAFE
// expect -D BUG races: UNSAFE

#include <pthread.h>
#include <stdlib.h>

struct device {
    pthread_mutex_t *lock;
    int state;
    int errors;
};

static struct device *left, *right;

static void acquire(pthread_mutex_t *m)
{
    if (pthread_mutex_lock(m) != 0)
        abort();
}

static void release(pthread_mutex_t *m)
{
    if (pthread_mutex_unlock(m) != 0)
        abort();
}

static struct device *make(void)
{
    struct device *d = malloc(sizeof *d);
    if (!d)
        abort();
    d->lock = malloc(sizeof *d->lock);
    if (!d->lock)
        abort();
    pthread_mutex_init(d->lock, NULL);
    d->state = 0;
    d->errors = 0;
    return d;
}

static void touch(struct device *d, int by)
{
    acquire(d->lock);
    d->state += by;
    if (d->state < 0)
        d->errors++;
    release(d->lock);
}

static void *worker(void *argument)
{
    touch(left, 1);
    touch(right, -1);
#ifdef BUG
    acquire(left->lock);
    right->errors = 0;
    release(left->lock);
#endif
    return argument;
}

int main(void)
{
    pthread_t t[2];
    left = make();
    right = make();
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    touch(right, 5);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return left->errors;
}
