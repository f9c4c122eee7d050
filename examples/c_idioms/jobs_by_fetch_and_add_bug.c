// Workers take the number of the next pixel row by an atomic addition. Wrong here: reading the
// number and increasing it are two atomic steps.
//
// expect races: UNSAFE

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#define ROWS 5
#define WIDTH 3
#define WORKERS 2

struct image {
    atomic_int next_row;
    int pixels[ROWS][WIDTH];
};

static void *render(void *argument)
{
    struct image *image = argument;
    for (;;) {
        int row = atomic_load(&image->next_row);
        atomic_store(&image->next_row, row + 1);
        if (row >= ROWS)
            break;
        for (int x = 0; x < WIDTH; x++)
            image->pixels[row][x] = row * WIDTH + x;
    }
    return NULL;
}

int main(void)
{
    struct image *image = calloc(1, sizeof *image);
    pthread_t threads[WORKERS];
    int sum = 0;
    if (!image)
        return 1;
    for (int i = 0; i < WORKERS; i++)
        if (pthread_create(&threads[i], NULL, render, image) != 0)
            abort();
    for (int i = 0; i < WORKERS; i++)
        pthread_join(threads[i], NULL);
    for (int y = 0; y < ROWS; y++)
        for (int x = 0; x < WIDTH; x++)
            sum += image->pixels[y][x];
    free(image);
    return sum > 0 ? 0 : 1;
}
