// A stack without locks that three threads push to; with BUG the new top is stored without a comparison.
//
// expect assertions: SAFE
// expect -D BUG assertions: UNSAFE

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
    int value;
    struct node *next;
};

static _Atomic(struct node *) top;

static void push(int value)
{
    struct node *node = malloc(sizeof *node);
    if (!node)
        exit(1);
    node->value = value;
    struct node *old = atomic_load(&top);
#ifdef BUG
    node->next = old;
    atomic_store(&top, node);
#else
    do {
        node->next = old;
    } while (!atomic_compare_exchange_weak(&top, &old, node));
#endif
}

static void *work(void *argument)
{
    push((int)(long)argument);
    return NULL;
}

int main(void)
{
    pthread_t thread[3];
    for (long i = 0; i < 3; i++)
        pthread_create(&thread[i], NULL, work, (void *)(i + 1));
    for (int i = 0; i < 3; i++)
        pthread_join(thread[i], NULL);
    int sum = 0;
    for (struct node *node = atomic_load(&top); node; node = node->next)
        sum += node->value;
    assert(sum == 6);
    return 0;
}
