// The bug: main changes a node without its lock, while a thread is at work on it. The correct
// program is heap_nodes.c.
//
// expect assertions: UNSAFE
// expect races: UNSAFE
// expect deadlocks: SAFE
// expect mutex: SAFE

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct node {
    pthread_mutex_t lock;
    int value;
};

static struct node *make(void)
{
    struct node *fresh = malloc(sizeof *fresh);
    if (!fresh)
        exit(1);
    pthread_mutex_init(&fresh->lock, NULL);
    fresh->value = 0;
    return fresh;
}

static void *increment(void *argument)
{
    struct node *node = argument;
    pthread_mutex_lock(&node->lock);
    node->value++;
    pthread_mutex_unlock(&node->lock);
    return NULL;
}

int main(void)
{
    pthread_t first, second;
    struct node *left = make();
    struct node *right = make();
    pthread_create(&first, NULL, increment, left);
    pthread_create(&second, NULL, increment, left);
    right->value++;
    left->value += 0;
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    assert(left->value == 2 && right->value == 1);
    pthread_mutex_destroy(&left->lock);
    pthread_mutex_destroy(&right->lock);
    free(left);
    free(right);
    return 0;
}
