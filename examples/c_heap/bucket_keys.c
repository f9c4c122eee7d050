// Keys are in the bucket that they belong to; each bucket has its lock; any number of threads.
//
// expect assertions: SAFE

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

#define BUCKETS 4

struct entry {
    unsigned key;
    struct entry *next;
};

static struct {
    pthread_mutex_t lock;
    struct entry *first;
} table[BUCKETS];

extern unsigned __VERIFIER_nondet_uint(void);

static void *work(void *argument)
{
    struct entry *mine = malloc(sizeof *mine);
    mine->key = __VERIFIER_nondet_uint();
    unsigned at = mine->key % BUCKETS;
    pthread_mutex_lock(&table[at].lock);
    mine->next = table[at].first;
    table[at].first = mine;
    for (struct entry *each = table[at].first; each != NULL; each = each->next)
        assert(each->key % BUCKETS == at);
    pthread_mutex_unlock(&table[at].lock);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    for (int i = 0; i < BUCKETS; i++)
        pthread_mutex_init(&table[i].lock, NULL);
    while (1)
        pthread_create(&thread, NULL, work, NULL);
}
