// The bug: the way back is set when the lock is free again. The correct program is both_ways.c.
//
// expect assertions: UNSAFE

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct node {
    struct node *next, *before;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct node *first;

static void *work(void *argument)
{
    struct node *mine = malloc(sizeof *mine);
    mine->before = NULL;
    pthread_mutex_lock(&lock);
    mine->next = first;
    first = mine;
    pthread_mutex_unlock(&lock);
    if (mine->next != NULL)
        mine->next->before = mine;
    pthread_mutex_lock(&lock);
    if (first->next != NULL)
        assert(first->next->before == first);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, work, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
