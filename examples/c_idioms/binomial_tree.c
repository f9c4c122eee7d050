// Thread k starts the threads k + 1, k + 2, k + 4 …; each has a slot of its own and adds up its
// children's.
//
// expect races: SAFE

#include <pthread.h>
#include <stdlib.h>

#define LEVELS 2

struct node {
    int level;
    long weight;
    pthread_t child[LEVELS];
    struct node *below[LEVELS];
};

static void *grow(void *argument)
{
    struct node *self = argument;
    self->weight = 1;
    for (int i = 0; i < self->level; i++) {
        struct node *next = calloc(1, sizeof *next);
        if (!next)
            abort();
        next->level = i;
        self->below[i] = next;
        if (pthread_create(&self->child[i], NULL, grow, next) != 0)
            abort();
    }
    for (int i = 0; i < self->level; i++) {
        pthread_join(self->child[i], NULL);
        self->weight += self->below[i]->weight;
        free(self->below[i]);
    }
    return NULL;
}

int main(void)
{
    struct node root = {.level = LEVELS};
    pthread_t thread;
    if (pthread_create(&thread, NULL, grow, &root) != 0)
        return 1;
    pthread_join(thread, NULL);
    return root.weight == 1 << LEVELS ? 0 : 1;
}
