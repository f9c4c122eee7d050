// Thread t computes the rows t, t + THREADS, t + 2 * THREADS …
//
// expect races: SAFE

#include <pthread.h>
#include <stdlib.h>

#define ROWS 5
#define COLUMNS 3
#define THREADS 2

static double grid[ROWS][COLUMNS];

static void *compute(void *argument)
{
    long me = (long)argument;
    for (long row = me; row < ROWS; row += THREADS)
        for (int column = 0; column < COLUMNS; column++)
            grid[row][column] = row + column;
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    for (long t = 0; t < THREADS; t++)
        if (pthread_create(&threads[t], NULL, compute, (void *)t) != 0)
            abort();
    for (int t = 0; t < THREADS; t++)
        pthread_join(threads[t], NULL);
    return grid[1][1] > 0 ? 0 : 1;
}
