/* LRU cache with hash table, strings, reference counts by atomics. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define BUCKETS 8
#define LIMIT 4
struct entry { struct entry *chain, *prev, *next; atomic_int refs; uint32_t hash; char *key; size_t len; void *value; };
static struct { struct entry *bucket[BUCKETS]; struct entry lru; unsigned count, hits, misses; pthread_mutex_t m; } cache = { .lru = { .prev = &cache.lru, .next = &cache.lru }, .m = PTHREAD_MUTEX_INITIALIZER };
static uint32_t fnv(const char *s) { uint32_t h = 2166136261u; for (; *s; s++) { h ^= (unsigned char)*s; h *= 16777619u; } return h; }
static void put(struct entry *e) { if (atomic_fetch_sub(&e->refs, 1) == 1) { free(e->key); free(e->value); free(e); } }
static void unlink_lru(struct entry *e) { e->prev->next = e->next; e->next->prev = e->prev; }
static void front(struct entry *e) { e->next = cache.lru.next; e->prev = &cache.lru; cache.lru.next->prev = e; cache.lru.next = e; }
static void evict(void)
{
    struct entry *e = cache.lru.prev, **pp = &cache.bucket[e->hash % BUCKETS];
    while (*pp != e) pp = &(*pp)->chain;
    *pp = e->chain; unlink_lru(e); cache.count--; put(e);
}
static struct entry *get(const char *key)
{
    uint32_t h = fnv(key);
    pthread_mutex_lock(&cache.m);
    for (struct entry *e = cache.bucket[h % BUCKETS]; e; e = e->chain)
        if (e->hash == h && !strcmp(e->key, key)) { unlink_lru(e); front(e); atomic_fetch_add(&e->refs, 1); cache.hits++; pthread_mutex_unlock(&cache.m); return e; }
    cache.misses++;
    pthread_mutex_unlock(&cache.m);
    return NULL;
}
static int set(const char *key, const void *value, size_t len)
{
    struct entry *e = calloc(1, sizeof *e);
    if (!e) return -1;
    atomic_init(&e->refs, 1);
    e->key = strdup(key); e->value = malloc(len); e->len = len; e->hash = fnv(key);
    if (!e->key || !e->value) { free(e->key); free(e->value); free(e); return -1; }
    memcpy(e->value, value, len);
    pthread_mutex_lock(&cache.m);
    if (cache.count == LIMIT) evict();
    e->chain = cache.bucket[e->hash % BUCKETS]; cache.bucket[e->hash % BUCKETS] = e; front(e); cache.count++;
    pthread_mutex_unlock(&cache.m);
    return 0;
}
static void *user(void *arg)
{
    const char *names[] = { "alpha", "beta" };
    for (int i = 0; i < 2; i++) {
        struct entry *e = get(names[i]);
        if (e) { printf("%.*s\n", (int)e->len, (char *)e->value); put(e); }
        else set(names[i], arg, strlen(arg) + 1);
    }
    return NULL;
}
int main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++) pthread_create(&t[i], NULL, user, i ? "one" : "two");
    for (int i = 0; i < 2; i++) pthread_join(t[i], NULL);
    while (cache.count) evict();
    printf("%u/%u\n", cache.hits, cache.misses);
    return 0;
}
