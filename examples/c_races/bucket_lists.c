// A hash table with a lock for each bucket; entries are in lists.
//
// expect races: SAFE

#include <pthread.h>
#include <stdlib.h>

#define BUCKETS 8

struct entry {
    int key, uses;
    struct entry *next;
};

struct bucket {
    pthread_mutex_t lock;
    struct entry *chain;
};

static struct bucket table[BUCKETS];

static struct entry *find(struct bucket *bucket, int key)
{
    for (struct entry *entry = bucket->chain; entry; entry = entry->next)
        if (entry->key == key)
            return entry;
    return NULL;
}

static void use(int key)
{
    struct bucket *bucket = &table[(unsigned)key % BUCKETS];
    pthread_mutex_lock(&bucket->lock);
    struct entry *entry = find(bucket, key);
    if (!entry) {
        entry = malloc(sizeof *entry);
        if (!entry)
            exit(1);
        entry->key = key;
        entry->uses = 0;
        entry->next = bucket->chain;
        bucket->chain = entry;
    }
    entry->uses++;
    pthread_mutex_unlock(&bucket->lock);
}

static void *user(void *argument)
{
    for (int i = 0; i < 100; i++)
        use(rand());
    return NULL;
}

int main(void)
{
    pthread_t threads[4];
    for (int i = 0; i < BUCKETS; i++)
        pthread_mutex_init(&table[i].lock, NULL);
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, user, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
