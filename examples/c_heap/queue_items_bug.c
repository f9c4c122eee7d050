// The bug: a consumer that was woken does not look whether there is an item. The correct program is queue_items.c.
//
// expect assertions: UNSAFE

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct item {
    int value;
    struct item *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t there = PTHREAD_COND_INITIALIZER;
static struct item *queue;

static void *work(void *argument)
{
    pthread_mutex_lock(&lock);
    if (queue == NULL)
        pthread_cond_wait(&there, &lock);
    struct item *got = queue;
    assert(got != NULL);
    queue = got->next;
    pthread_mutex_unlock(&lock);
    assert(got->value == 5);
    free(got);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, work, NULL);
    for (int i = 0; i < 2; i++) {
        struct item *fresh = malloc(sizeof *fresh);
        fresh->value = 5;
        pthread_mutex_lock(&lock);
        fresh->next = queue;
        queue = fresh;
        pthread_cond_broadcast(&there);
        pthread_mutex_unlock(&lock);
    }
    return 0;
}
