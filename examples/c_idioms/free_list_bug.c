// Blocks are kept in a free list under a lock; whoever takes one uses it without the lock.
// Wrong here: it is written to once more after it was given back.
//
// expect races: UNSAFE

#include <pthread.h>
#include <stdlib.h>

struct block {
    struct block *next;
    int size;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct block *unused;

static struct block *block_get(void)
{
    pthread_mutex_lock(&lock);
    struct block *block = unused;
    if (block)
        unused = block->next;
    pthread_mutex_unlock(&lock);
    if (!block) {
        block = malloc(sizeof *block);
        if (!block)
            abort();
    }
    return block;
}

static void block_put(struct block *block)
{
    pthread_mutex_lock(&lock);
    block->next = unused;
    unused = block;
    pthread_mutex_unlock(&lock);
}

static void *worker(void *argument)
{
    for (int i = 0; i < 2; i++) {
        struct block *block = block_get();
        block->size = i;
        block_put(block);
        block->size += 1;
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        if (pthread_create(&threads[i], NULL, worker, NULL) != 0)
            abort();
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    while (unused) {
        struct block *next = unused->next;
        free(unused);
        unused = next;
    }
    return 0;
}
