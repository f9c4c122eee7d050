// Each thread finds its number in memory of its own and fills that slot; with BUG there is one such memory for all.
//
// expect races: SAFE
// expect -D BUG races: UNSAFE

#include <pthread.h>
#include <stdlib.h>

#define THREADS 5
static int slot[THREADS];

static void *fill(void *argument)
{
    int number = *(int *)argument;
#ifndef BUG
    free(argument);
#endif
    slot[number] = number * number;
    return NULL;
}

int main(void)
{
    pthread_t thread[THREADS];
    int *number = NULL;
    for (int i = 0; i < THREADS; i++) {
#ifdef BUG
        if (!number)
#endif
            number = malloc(sizeof *number);
        if (!number)
            exit(1);
        *number = i;
        pthread_create(&thread[i], NULL, fill, number);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    return slot[2];
}
