// What is given away can still be reached through a private object.

#include <pthread.h>
#include <stdlib.h>

struct job {
    int v;
};

struct list {
    struct job *first;
};

void *work(void *argument)
{
    struct job *j = argument;
    j->v = 1;
    return 0;
}

int main(void)
{
    pthread_t t;
    struct job *y = 0;
    struct list *l = malloc(sizeof *l);
    struct job *j = malloc(sizeof *j);
    j->v = 0;
    l->first = j;
    if (y)
        y->v = 3;
    pthread_create(&t, 0, work, j);
    y = l->first;
    y->v = 2;
    pthread_exit(0);
}
