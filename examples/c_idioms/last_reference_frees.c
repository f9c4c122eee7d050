// An object that several threads have counts its references under its lock; the last one frees it.
//
// expect races: SAFE

#include <pthread.h>
#include <stdlib.h>

struct buffer {
    pthread_mutex_t lock;
    int references;
    int length;
};

static struct buffer *buffer_new(void)
{
    struct buffer *b = malloc(sizeof *b);
    if (!b)
        abort();
    pthread_mutex_init(&b->lock, NULL);
    b->references = 1;
    b->length = 0;
    return b;
}

static void buffer_keep(struct buffer *b)
{
    pthread_mutex_lock(&b->lock);
    b->references++;
    pthread_mutex_unlock(&b->lock);
}

static void buffer_drop(struct buffer *b)
{
    pthread_mutex_lock(&b->lock);
    int left = --b->references;
    pthread_mutex_unlock(&b->lock);
    if (left == 0) {
        pthread_mutex_destroy(&b->lock);
        free(b);
    }
}

static void *append(void *argument)
{
    struct buffer *b = argument;
    pthread_mutex_lock(&b->lock);
    b->length += 8;
    pthread_mutex_unlock(&b->lock);
    buffer_drop(b);
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    struct buffer *b = buffer_new();
    for (int i = 0; i < 2; i++) {
        buffer_keep(b);
        if (pthread_create(&threads[i], NULL, append, b) != 0)
            abort();
    }
    buffer_drop(b);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
