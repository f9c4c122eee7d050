// Two buffers: threads write to the front one under the lock; the flusher swaps them under the lock
// and empties the back one without it.
//
// expect races: SAFE

#include <pthread.h>
#include <stdlib.h>

struct buffer {
    int used;
    int lines[4];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct buffer one, two;
static struct buffer *front = &one;
static struct buffer *back = &two;
static long written;

static void *writer(void *unused)
{
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&lock);
        if (front->used < 4)
            front->lines[front->used++] = i;
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

static void *flusher(void *unused)
{
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&lock);
        struct buffer *full = front;
        front = back;
        back = full;
        pthread_mutex_unlock(&lock);
        written += full->used;
        full->used = 0;
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    if (pthread_create(&threads[0], NULL, writer, NULL) != 0)
        abort();
    if (pthread_create(&threads[1], NULL, flusher, NULL) != 0)
        abort();
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return written <= 2 ? 0 : 1;
}
