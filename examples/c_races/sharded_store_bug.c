// A store of texts in shards, each with a lock and several lists; entries are removed by a pointer
// to the link that leads to them.
//
// The lock that is taken to forget an entry is that of the next shard.
//
// expect races: UNSAFE

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define SHARDS 4
#define LISTS 16

struct entry {
    struct entry *next;
    char *key;
    int uses;
};

struct shard {
    pthread_mutex_t lock;
    struct entry *lists[LISTS];
    int count;
};

static struct shard shards[SHARDS];

static unsigned hash(const char *key)
{
    unsigned h = 5381;
    while (*key)
        h = h * 33 + (unsigned char)*key++;
    return h;
}

static struct entry **find(struct shard *s, unsigned h, const char *key)
{
    struct entry **link = &s->lists[h / SHARDS % LISTS];
    while (*link && strcmp((*link)->key, key) != 0)
        link = &(*link)->next;
    return link;
}

static void use(const char *key)
{
    unsigned h = hash(key);
    struct shard *s = &shards[h % SHARDS];
    pthread_mutex_lock(&s->lock);
    struct entry **link = find(s, h, key);
    if (*link == NULL) {
        struct entry *e = calloc(1, sizeof *e);
        if (e != NULL && (e->key = strdup(key)) != NULL) {
            *link = e;
            s->count++;
        } else {
            free(e);
        }
    }
    if (*link != NULL)
        (*link)->uses++;
    pthread_mutex_unlock(&s->lock);
}

static void forget(const char *key)
{
    unsigned h = hash(key);
    struct shard *s = &shards[h % SHARDS];
    pthread_mutex_lock(&shards[(h + 1) % SHARDS].lock);
    struct entry **link = find(s, h, key);
    struct entry *e = *link;
    if (e != NULL) {
        *link = e->next;
        s->count--;
        free(e->key);
        free(e);
    }
    pthread_mutex_unlock(&shards[(h + 1) % SHARDS].lock);
}

static void *client(void *key)
{
    for (int i = 0; i < 100; i++) {
        use(key);
        forget("shared");
    }
    return NULL;
}

int main(void)
{
    pthread_t one, two;
    for (int i = 0; i < SHARDS; i++)
        pthread_mutex_init(&shards[i].lock, NULL);
    pthread_create(&one, NULL, client, "shared");
    pthread_create(&two, NULL, client, "other");
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
