// A vector never has more elements than room, and grows under its lock; two threads.
//
// expect assertions: SAFE

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct vector {
    int size, room;
    int *cells;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct vector all;

static void add(int value)
{
    pthread_mutex_lock(&lock);
    if (all.size == all.room) {
        int room = all.room + 4;
        int *more = malloc(room * sizeof *more);
        for (int i = 0; i < all.size; i++)
            more[i] = all.cells[i];
        free(all.cells);
        all.cells = more;
        all.room = room;
    }
    all.cells[all.size] = value;
    all.size++;
    pthread_mutex_unlock(&lock);
}

static void *work(void *argument)
{
    add(1);
    add(2);
    pthread_mutex_lock(&lock);
    assert(all.size <= all.room);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, work, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
