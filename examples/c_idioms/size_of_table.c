// A hash table with one lock for each bucket and one for the number of its entries.
//
// expect races: SAFE

#include <pthread.h>
#include <stdlib.h>

#define BUCKETS 2

struct entry {
    int key;
    int value;
    struct entry *next;
};

struct bucket {
    pthread_mutex_t lock;
    struct entry *first;
};

struct table {
    struct bucket buckets[BUCKETS];
    pthread_mutex_t size_lock;
    int size;
};

static struct table table;

static void table_put(struct table *t, int key, int value)
{
    struct bucket *b = &t->buckets[(unsigned)key % BUCKETS];
    pthread_mutex_lock(&b->lock);
    struct entry *e = b->first;
    while (e && e->key != key)
        e = e->next;
    if (e) {
        e->value = value;
        pthread_mutex_unlock(&b->lock);
        return;
    }
    e = malloc(sizeof *e);
    if (!e)
        abort();
    e->key = key;
    e->value = value;
    e->next = b->first;
    b->first = e;
    pthread_mutex_unlock(&b->lock);
    pthread_mutex_lock(&t->size_lock);
    t->size++;
    pthread_mutex_unlock(&t->size_lock);
}

static int table_get(struct table *t, int key, int otherwise)
{
    struct bucket *b = &t->buckets[(unsigned)key % BUCKETS];
    int found = otherwise;
    pthread_mutex_lock(&b->lock);
    for (struct entry *e = b->first; e; e = e->next)
        if (e->key == key)
            found = e->value;
    pthread_mutex_unlock(&b->lock);
    return found;
}

static void *fill(void *argument)
{
    int from = (int)(long)argument;
    for (int i = 0; i < 2; i++)
        table_put(&table, from + i, i);
    return (void *)(long)table_get(&table, from, 0);
}

int main(void)
{
    pthread_t a, b;
    for (int i = 0; i < BUCKETS; i++)
        pthread_mutex_init(&table.buckets[i].lock, NULL);
    pthread_mutex_init(&table.size_lock, NULL);
    if (pthread_create(&a, NULL, fill, (void *)0) != 0)
        return 1;
    if (pthread_create(&b, NULL, fill, (void *)1) != 0)
        return 1;
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return table.size == 3 ? 0 : 1;
}
