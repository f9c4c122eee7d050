// The bug: main changes the object after it has given it away. The correct program is detached.c.
//
// expect assertions: UNSAFE
// expect races: UNSAFE
// expect deadlocks: SAFE
// expect mutex: SAFE

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static void *work(void *argument)
{
    int *mine = argument;
    assert(*mine == 3);
    return NULL;
}

int main(void)
{
    pthread_t worker;
    int *given = malloc(sizeof *given);
    if (!given)
        exit(1);
    *given = 3;
    pthread_create(&worker, NULL, work, given);
    pthread_detach(worker);
    *given = 4;
    pthread_exit(NULL);
}
