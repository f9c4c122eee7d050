// In a list that is linked both ways the neighbours agree whenever its lock is free; two threads.
//
// expect assertions: SAFE

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
    if (first != NULL)
        first->before = mine;
    first = mine;
    pthread_mutex_unlock(&lock);
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
