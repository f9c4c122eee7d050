// A library locks through a table of functions that its user fills in. Wrong here: the function
// that should enter does nothing.
//
// expect races: UNSAFE

#include <pthread.h>
#include <stdlib.h>

struct locking {
    void (*enter)(void *);
    void (*leave)(void *);
    void *data;
};

struct cache {
    struct locking locking;
    int entries;
    int hits;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void enter(void *data)
{
    (void)data;
}

static void leave(void *data)
{
    (void)data;
}

static struct cache cache = {{enter, leave, &mutex}, 0, 0};

static void cache_lock(struct cache *c)
{
    c->locking.enter(c->locking.data);
}

static void cache_unlock(struct cache *c)
{
    c->locking.leave(c->locking.data);
}

static void cache_put(struct cache *c)
{
    cache_lock(c);
    c->entries++;
    cache_unlock(c);
}

static int cache_get(struct cache *c)
{
    cache_lock(c);
    int found = c->entries > 0;
    if (found)
        c->hits++;
    cache_unlock(c);
    return found;
}

static void *user(void *unused)
{
    cache_put(&cache);
    return (void *)(long)cache_get(&cache);
}

int main(void)
{
    pthread_t a, b;
    if (pthread_create(&a, NULL, user, NULL) != 0)
        return 1;
    if (pthread_create(&b, NULL, user, NULL) != 0)
        return 1;
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return cache.hits == 2 ? 0 : 1;
}
