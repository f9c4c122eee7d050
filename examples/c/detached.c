// Main ends by pthread_exit, a detached thread goes on with what it was given.
//
// expect assertions: SAFE
// expect races: SAFE
// expect deadlocks: SAFE
// expect mutex: SAFE

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static void *work(void *argument)
{
    int *mine = argument;
    assert(*mine == 3);
    free(mine);
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
    pthread_exit(NULL);
}
