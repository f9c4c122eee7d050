// The bug: the size is not changed where a node is popped. The correct program is stack_size.c.
//
// expect assertions: UNSAFE

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct node {
    struct node *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct node *top;
static int size;

static void *work(void *argument)
{
    struct node *mine = malloc(sizeof *mine);
    pthread_mutex_lock(&lock);
    mine->next = top;
    top = mine;
    size++;
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    struct node *got = top;
    if (got != NULL) {
        top = got->next;
    }
    assert((size == 0) == (top == NULL));
    pthread_mutex_unlock(&lock);
    free(got);
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
