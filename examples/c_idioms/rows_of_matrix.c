// Every thread multiplies the rows of its own range, which its argument says.
//
// expect races: SAFE

#include <pthread.h>
#include <stdlib.h>

#define SIZE 4
#define THREADS 2

static int a[SIZE][SIZE], b[SIZE][SIZE], c[SIZE][SIZE];

struct part {
    int first, last;
};

static void *multiply(void *argument)
{
    struct part *part = argument;
    for (int i = part->first; i < part->last; i++)
        for (int j = 0; j < SIZE; j++) {
            int sum = 0;
            for (int k = 0; k < SIZE; k++)
                sum += a[i][k] * b[k][j];
            c[i][j] = sum;
        }
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    struct part parts[THREADS];
    int rows = SIZE / THREADS;
    for (int i = 0; i < SIZE; i++)
        for (int j = 0; j < SIZE; j++) {
            a[i][j] = i + j;
            b[i][j] = i == j;
        }
    for (int t = 0; t < THREADS; t++) {
        parts[t].first = t * rows;
        parts[t].last = (t + 1) * rows;
        if (pthread_create(&threads[t], NULL, multiply, &parts[t]) != 0)
            abort();
    }
    for (int t = 0; t < THREADS; t++)
        pthread_join(threads[t], NULL);
    return c[1][1] == a[1][1] ? 0 : 1;
}
