// A ring on the heap has as many elements as its positions say, and never too many; any number of threads.
//
// expect assertions: SAFE

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

#define SIZE 8

struct ring {
    pthread_mutex_t lock;
    unsigned count;
    int cells[SIZE];
};

static struct ring *ring;

static void *work(void *argument)
{
    pthread_mutex_lock(&ring->lock);
    if (ring->count < SIZE) {
        ring->cells[ring->count] = 1;
        ring->count++;
    }
    pthread_mutex_unlock(&ring->lock);
    pthread_mutex_lock(&ring->lock);
    assert(ring->count <= SIZE);
    if (ring->count > 0)
        ring->count--;
    pthread_mutex_unlock(&ring->lock);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    ring = calloc(1, sizeof *ring);
    pthread_mutex_init(&ring->lock, NULL);
    while (1)
        pthread_create(&thread, NULL, work, NULL);
}
