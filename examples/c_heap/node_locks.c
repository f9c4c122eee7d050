// Every node of a list has a lock for its counter, which is zero while nobody holds it; any number of threads.
//
// expect assertions: SAFE

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct node {
    pthread_mutex_t lock;
    int inside;
    struct node *next;
};

static struct node *first;

static void *work(void *argument)
{
    for (struct node *each = first; each != NULL; each = each->next) {
        pthread_mutex_lock(&each->lock);
        assert(each->inside == 0);
        each->inside++;
        each->inside--;
        pthread_mutex_unlock(&each->lock);
    }
    return NULL;
}

int main(void)
{
    pthread_t thread;
    for (int i = 0; i < 5; i++) {
        struct node *fresh = malloc(sizeof *fresh);
        pthread_mutex_init(&fresh->lock, NULL);
        fresh->inside = 0;
        fresh->next = first;
        first = fresh;
    }
    for (int i = 0; i < 10000; i++)
        pthread_create(&thread, NULL, work, NULL);
    return 0;
}
