// A hash table with a lock in each bucket; with RACY: an entry is changed after its bucket's lock was given back.
//
// expect races: SAFE
// expect -D RACY races: UNSAFE

#include <pthread.h>
#include <stdlib.h>
#define BUCKETS 7
struct entry { int key, count; struct entry *next; };
struct bucket { pthread_mutex_t lock; struct entry *first; };
static struct bucket table[BUCKETS];
static void touch(int key)
{
    struct bucket *b = &table[(unsigned)key % BUCKETS];
    struct entry *e;
    pthread_mutex_lock(&b->lock);
    for (e = b->first; e && e->key != key; e = e->next)
        ;
    if (!e && (e = malloc(sizeof *e)) != NULL) {
        e->key = key;
        e->count = 0;
        e->next = b->first;
        b->first = e;
    }
#ifdef RACY
    pthread_mutex_unlock(&b->lock);
    if (e)
        e->count++;
#else
    if (e)
        e->count++;
    pthread_mutex_unlock(&b->lock);
#endif
}
static void *worker(void *arg)
{
    for (int i = 0; i < 50; i++)
        touch(rand());
    return arg;
}
int main(void)
{
    pthread_t s, t;
    for (int i = 0; i < BUCKETS; i++)
        pthread_mutex_init(&table[i].lock, NULL);
    pthread_create(&s, NULL, worker, NULL);
    pthread_create(&t, NULL, worker, NULL);
    pthread_join(s, NULL);
    pthread_join(t, NULL);
    return 0;
}
