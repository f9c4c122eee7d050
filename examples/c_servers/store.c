// A key-value store in memory: a hash table whose buckets share striped locks, entries that expire, a thread that
// sweeps them away stripe by stripe, and clients that read, write and count. A snapshot takes all stripes in order.

#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define STRIPES 8
#define BUCKETS 64 /* a multiple of STRIPES */
#define KEY_SIZE 32
#define CLIENTS 6
#define OPERATIONS 400

struct entry {
    char key[KEY_SIZE];
    long value;
    unsigned long expires; /* in ticks of the store; 0: never */
    struct entry *next;
};

struct store {
    pthread_mutex_t stripes[STRIPES];
    struct entry *buckets[BUCKETS];
    atomic_ulong clock; /* the sweeper moves it on */
    atomic_ulong hits;
    atomic_ulong misses;
    atomic_ulong expired;
    atomic_bool stopping;
};

struct client {
    pthread_t thread;
    struct store *store;
    unsigned seed;
    long written;
};

static uint32_t hash(const char *key)
{
    uint32_t value = 2166136261u;
    for (; *key != '\0'; key++)
        value = (value ^ (unsigned char)*key) * 16777619u;
    return value;
}

static pthread_mutex_t *stripe_of(struct store *store, unsigned bucket)
{
    return &store->stripes[bucket % STRIPES];
}

static bool is_dead(const struct entry *entry, unsigned long now)
{
    return entry->expires != 0 && entry->expires <= now;
}

/* The place where the key is or would be; the caller has the stripe. */
static struct entry **find(struct store *store, unsigned bucket, const char *key)
{
    struct entry **at = &store->buckets[bucket];
    while (*at != NULL && strcmp((*at)->key, key) != 0)
        at = &(*at)->next;
    return at;
}

static bool store_get(struct store *store, const char *key, long *value)
{
    unsigned bucket = hash(key) % BUCKETS;
    pthread_mutex_t *stripe = stripe_of(store, bucket);
    bool found = false;

    pthread_mutex_lock(stripe);
    struct entry *entry = *find(store, bucket, key);
    if (entry != NULL && !is_dead(entry, atomic_load(&store->clock))) {
        *value = entry->value;
        found = true;
    }
    pthread_mutex_unlock(stripe);
    atomic_fetch_add(found ? &store->hits : &store->misses, 1);
    return found;
}

/* Adds to the value of a key, which starts at 0; lives for so many ticks, or for ever. */
static bool store_add(struct store *store, const char *key, long amount, unsigned long ticks)
{
    unsigned bucket = hash(key) % BUCKETS;
    pthread_mutex_t *stripe = stripe_of(store, bucket);
    struct entry *fresh = calloc(1, sizeof *fresh);

    if (fresh == NULL)
        return false;
    strncpy(fresh->key, key, sizeof fresh->key - 1);
    pthread_mutex_lock(stripe);
    struct entry **at = find(store, bucket, key);
    if (*at == NULL) {
        *at = fresh;
        fresh = NULL;
    }
    (*at)->value += amount;
    (*at)->expires = ticks == 0 ? 0 : atomic_load(&store->clock) + ticks;
    pthread_mutex_unlock(stripe);
    free(fresh);
    return true;
}

static bool store_delete(struct store *store, const char *key)
{
    unsigned bucket = hash(key) % BUCKETS;
    pthread_mutex_t *stripe = stripe_of(store, bucket);

    pthread_mutex_lock(stripe);
    struct entry **at = find(store, bucket, key);
    struct entry *gone = *at;
    if (gone != NULL)
        *at = gone->next;
    pthread_mutex_unlock(stripe);
    free(gone);
    return gone != NULL;
}

/* Takes what has expired out of one stripe, and frees it when the lock is free again. */
static void sweep_stripe(struct store *store, unsigned number, unsigned long now)
{
    struct entry *dead = NULL;

    pthread_mutex_lock(&store->stripes[number]);
    for (unsigned bucket = number; bucket < BUCKETS; bucket += STRIPES) {
        struct entry **at = &store->buckets[bucket];
        while (*at != NULL) {
            struct entry *entry = *at;
            if (is_dead(entry, now)) {
                *at = entry->next;
                entry->next = dead;
                dead = entry;
            } else {
                at = &entry->next;
            }
        }
    }
    pthread_mutex_unlock(&store->stripes[number]);
    while (dead != NULL) {
        struct entry *next = dead->next;
        free(dead);
        dead = next;
        atomic_fetch_add(&store->expired, 1);
    }
}

static void *sweeper(void *argument)
{
    struct store *store = argument;
    struct timespec pause = {.tv_nsec = 1000000};

    while (!atomic_load(&store->stopping)) {
        unsigned long now = atomic_fetch_add(&store->clock, 1) + 1;
        for (unsigned i = 0; i < STRIPES; i++)
            sweep_stripe(store, i, now);
        nanosleep(&pause, NULL);
    }
    return NULL;
}

/* The number of entries and the sum of their values at one moment: all stripes, always in the same order. */
static unsigned store_snapshot(struct store *store, long *sum)
{
    unsigned count = 0;

    *sum = 0;
    for (unsigned i = 0; i < STRIPES; i++)
        pthread_mutex_lock(&store->stripes[i]);
    for (unsigned bucket = 0; bucket < BUCKETS; bucket++) {
        for (struct entry *entry = store->buckets[bucket]; entry != NULL; entry = entry->next) {
            *sum += entry->value;
            count++;
        }
    }
    for (unsigned i = STRIPES; i > 0; i--)
        pthread_mutex_unlock(&store->stripes[i - 1]);
    return count;
}

static void store_init(struct store *store)
{
    for (unsigned i = 0; i < STRIPES; i++)
        pthread_mutex_init(&store->stripes[i], NULL);
}

static void store_destroy(struct store *store)
{
    for (unsigned bucket = 0; bucket < BUCKETS; bucket++) {
        struct entry *entry = store->buckets[bucket];
        while (entry != NULL) {
            struct entry *next = entry->next;
            free(entry);
            entry = next;
        }
        store->buckets[bucket] = NULL;
    }
    for (unsigned i = 0; i < STRIPES; i++)
        pthread_mutex_destroy(&store->stripes[i]);
}

static unsigned next_random(unsigned *seed)
{
    *seed = *seed * 1103515245u + 12345u;
    return *seed >> 16;
}

static void *client(void *argument)
{
    struct client *self = argument;
    char key[KEY_SIZE];
    long value, sum;

    for (int i = 0; i < OPERATIONS; i++) {
        snprintf(key, sizeof key, "key-%u", next_random(&self->seed) % 50);
        switch (next_random(&self->seed) % 8) {
        case 0:
            store_delete(self->store, key);
            break;
        case 1:
            if (store_add(self->store, key, 1, 0))
                self->written++;
            break;
        case 2:
            if (store_add(self->store, key, 2, 3))
                self->written++;
            break;
        case 3:
            store_snapshot(self->store, &sum);
            break;
        default:
            store_get(self->store, key, &value);
        }
    }
    return NULL;
}

int main(void)
{
    static struct store store;
    static struct client clients[CLIENTS];
    pthread_t sweeping;
    long written = 0, sum;

    store_init(&store);
    if (pthread_create(&sweeping, NULL, sweeper, &store) != 0)
        return EXIT_FAILURE;
    for (unsigned i = 0; i < CLIENTS; i++) {
        clients[i].store = &store;
        clients[i].seed = i + 1;
        if (pthread_create(&clients[i].thread, NULL, client, &clients[i]) != 0)
            abort();
    }
    for (unsigned i = 0; i < CLIENTS; i++) {
        pthread_join(clients[i].thread, NULL);
        written += clients[i].written;
    }
    atomic_store(&store.stopping, true);
    pthread_join(sweeping, NULL);

    unsigned count = store_snapshot(&store, &sum);
    printf("%ld written, %u left with sum %ld, %lu hits, %lu misses, %lu expired\n", written, count, sum,
           atomic_load(&store.hits), atomic_load(&store.misses), atomic_load(&store.expired));
    store_destroy(&store);
    return EXIT_SUCCESS;
}
