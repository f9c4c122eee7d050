// The ids are copied to an array that is handed to the function which waits. Wrong here: the last
// id is not copied, and the one before it is joined only.
//
// expect races: UNSAFE

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define THREADS 3

static int work[THREADS];

static void *fill(void *argument)
{
    int *cell = argument;
    *cell = *cell + 5;
    return NULL;
}

static void wait_for(pthread_t *ids, int count)
{
    for (int i = 0; i < count; i++)
        pthread_join(ids[i], NULL);
}

int main(void)
{
    pthread_t threads[THREADS];
    pthread_t copies[THREADS];
    int sum = 0;
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, fill, &work[i]) != 0)
            abort();
    for (int i = 0; i < THREADS; i++)
        copies[i] = threads[i];
    wait_for(copies, THREADS - 1);
    for (int i = 0; i < THREADS; i++)
        sum += work[i];
    return sum == 5 * THREADS ? 0 : 1;
}
