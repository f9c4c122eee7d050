// An object is shared by reference: the count is atomic, and whoever drops the last reference frees it.
//
// expect races: SAFE

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct image {
    atomic_int references;
    int width;
    int height;
};

static void image_drop(struct image *image)
{
    if (atomic_fetch_sub(&image->references, 1) == 1)
        free(image);
}

static void *show(void *argument)
{
    struct image *image = argument;
    int area = image->width * image->height;
    image_drop(image);
    return area > 0 ? NULL : argument;
}

int main(void)
{
    pthread_t thread;
    struct image *image = malloc(sizeof *image);
    if (!image)
        abort();
    atomic_init(&image->references, 2);
    image->width = 4;
    image->height = 3;
    if (pthread_create(&thread, NULL, show, image) != 0)
        abort();
    int width = image->width;
    image_drop(image);
    pthread_join(thread, NULL);
    return width == 4 ? 0 : 1;
}
