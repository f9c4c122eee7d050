// Nodes that are pushed have positive values, and a look at the list finds no other; ten thousand threads.
//
// expect assertions: SAFE

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct node {
    int value;
    struct node *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct node *top;

static void *work(void *argument)
{
    struct node *mine = malloc(sizeof *mine);
    mine->value = 7;
    pthread_mutex_lock(&lock);
    mine->next = top;
    top = mine;
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    for (struct node *each = top; each != NULL; each = each->next)
        assert(each->value == 7);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    for (int i = 0; i < 10000; i++)
        pthread_create(&thread, NULL, work, NULL);
    return 0;
}
