// The bug: an entry is valid before its data is there. The correct program is cache_entry.c.
//
// expect assertions: UNSAFE

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct entry {
    pthread_mutex_t lock;
    int valid;
    int key;
    int data;
};

static struct entry *cache;

extern int __VERIFIER_nondet_int(void);

static void *work(void *argument)
{
    int key = __VERIFIER_nondet_int();
    pthread_mutex_lock(&cache->lock);
    if (cache->valid)
        assert(cache->data == cache->key);
    cache->valid = 1;
    cache->key = key;
    pthread_mutex_unlock(&cache->lock);
    pthread_mutex_lock(&cache->lock);
    cache->data = key;
    pthread_mutex_unlock(&cache->lock);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    cache = malloc(sizeof *cache);
    pthread_mutex_init(&cache->lock, NULL);
    cache->valid = 0;
    while (1)
        pthread_create(&thread, NULL, work, NULL);
}
