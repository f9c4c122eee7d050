// The bug: a node goes behind the first one that is larger. The correct program is sorted_list.c.
//
// expect assertions: UNSAFE

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct node {
    int key;
    struct node *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct node *first;

extern int __VERIFIER_nondet_int(void);

static void *work(void *argument)
{
    struct node *mine = malloc(sizeof *mine);
    mine->key = __VERIFIER_nondet_int();
    pthread_mutex_lock(&lock);
    struct node **at = &first;
    while (*at != NULL && (*at)->key > mine->key)
        at = &(*at)->next;
    mine->next = *at;
    *at = mine;
    for (struct node *each = first; each->next != NULL; each = each->next)
        assert(each->key <= each->next->key);
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
