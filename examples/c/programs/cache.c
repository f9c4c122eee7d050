// A cache of files with reference counts: whoever gets an item keeps it until it is put back, even if the cache drops it.
//
// expect assertions: SAFE
// expect races: SAFE
// expect mutex: SAFE

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CACHE_ITEMS 32
#define NAME_LENGTH 64

struct item {
    struct item *next;
    char name[NAME_LENGTH];
    int references;  /* one is the cache's, as long as it is in the list */
    unsigned long hits;
    size_t size;
    char *data;
};

struct cache {
    pthread_mutex_t mutex;
    struct item *items;
    int count;
    unsigned long hits, misses;
};

static struct cache cache = {.mutex = PTHREAD_MUTEX_INITIALIZER};
static int rounds = 100;
static char **names;
static int name_count;

static void fatal(const char *message)
{
    fprintf(stderr, "cache: %s\n", message);
    exit(1);
}

/* Reads a file, up to a page; nobody else knows the new item. */
static struct item *item_load(const char *name)
{
    struct item *item = calloc(1, sizeof *item);
    if (item == NULL)
        return NULL;
    strncpy(item->name, name, NAME_LENGTH - 1);
    item->data = malloc(4096);
    if (item->data == NULL) {
        free(item);
        return NULL;
    }
    FILE *file = fopen(name, "rb");
    if (file == NULL) {
        free(item->data);
        free(item);
        return NULL;
    }
    item->size = fread(item->data, 1, 4096, file);
    fclose(file);
    item->references = 1;
    return item;
}

static void item_free(struct item *item)
{
    free(item->data);
    free(item);
}

/* Drops a reference; the caller has the mutex. Returns whether it was the last one. */
static int item_unref(struct item *item)
{
    item->references--;
    return item->references == 0;
}

static struct item *cache_find(struct cache *c, const char *name)
{
    for (struct item *item = c->items; item != NULL; item = item->next)
        if (strncmp(item->name, name, NAME_LENGTH - 1) == 0)
            return item;
    return NULL;
}

/* Removes the item that was asked for least; the caller has the mutex. */
static struct item *cache_evict(struct cache *c)
{
    struct item **least = &c->items;

    if (c->items == NULL)
        return NULL;
    for (struct item **link = &c->items; *link != NULL; link = &(*link)->next)
        if ((*link)->hits < (*least)->hits)
            least = link;
    struct item *item = *least;
    *least = item->next;
    item->next = NULL;
    c->count--;
    return item_unref(item) ? item : NULL;
}

static struct item *cache_get(struct cache *c, const char *name)
{
    struct item *item, *old = NULL;

    pthread_mutex_lock(&c->mutex);
    item = cache_find(c, name);
    if (item != NULL) {
        item->references++;
        item->hits++;
        c->hits++;
        pthread_mutex_unlock(&c->mutex);
        return item;
    }
    c->misses++;
    pthread_mutex_unlock(&c->mutex);

    item = item_load(name);
    if (item == NULL)
        return NULL;
    item->references++;
    pthread_mutex_lock(&c->mutex);
    if (c->count >= CACHE_ITEMS)
        old = cache_evict(c);
    item->next = c->items;
    c->items = item;
    c->count++;
    pthread_mutex_unlock(&c->mutex);
    if (old != NULL)
        item_free(old);
    return item;
}

static void cache_put(struct cache *c, struct item *item)
{
    int last;

    pthread_mutex_lock(&c->mutex);
    last = item_unref(item);
    pthread_mutex_unlock(&c->mutex);
    if (last)
        item_free(item);
}

static void cache_clear(struct cache *c)
{
    pthread_mutex_lock(&c->mutex);
    while (c->items != NULL) {
        struct item *item = cache_evict(c);
        if (item != NULL)
            item_free(item);
    }
    pthread_mutex_unlock(&c->mutex);
}

static unsigned long sum(const struct item *item)
{
    unsigned long value = 0;

    for (size_t i = 0; i < item->size; i++)
        value += (unsigned char)item->data[i];
    return value;
}

static void *client(void *argument)
{
    unsigned long *result = argument;

    for (int i = 0; i < rounds; i++) {
        const char *name = names[i % name_count];
        struct item *item = cache_get(&cache, name);
        if (item == NULL) {
            fprintf(stderr, "cache: %s: cannot be read\n", name);
            continue;
        }
        *result += sum(item);
        cache_put(&cache, item);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    int threads = 4, option;

    while ((option = getopt(argc, argv, "t:n:")) != -1) {
        switch (option) {
        case 't':
            threads = atoi(optarg);
            break;
        case 'n':
            rounds = atoi(optarg);
            break;
        default:
            fatal("usage: cache [-t threads] [-n rounds] file...");
        }
    }
    names = argv + optind;
    name_count = argc - optind;
    if (name_count < 1 || threads < 1)
        fatal("nothing to do");

    pthread_t *ids = calloc(threads, sizeof *ids);
    unsigned long *results = calloc(threads, sizeof *results);
    if (ids == NULL || results == NULL)
        fatal("out of memory");
    for (int i = 0; i < threads; i++)
        if (pthread_create(&ids[i], NULL, client, &results[i]) != 0)
            fatal("cannot start a thread");
    for (int i = 0; i < threads; i++) {
        pthread_join(ids[i], NULL);
        printf("%d: %lu\n", i, results[i]);
    }
    printf("%lu hits, %lu misses\n", cache.hits, cache.misses);
    cache_clear(&cache);
    free(results);
    free(ids);
    return 0;
}
