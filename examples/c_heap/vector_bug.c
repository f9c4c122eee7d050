// The bug: the size is raised before there is room. The correct program is vector.c.
//
// expect assertions: UNSAFE

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
    int at = all.size++;
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    if (at >= all.room) {
        int room = at + 1;
        int *more = malloc(room * sizeof *more);
        for (int i = 0; i < all.room; i++)
            more[i] = all.cells[i];
        free(all.cells);
        all.cells = more;
        all.room = room;
    }
    all.cells[at] = value;
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
