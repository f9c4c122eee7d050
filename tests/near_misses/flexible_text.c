// BUG: races
// Texts of any length behind their records: under the lock of the record, and of another one if BUG.

#include <pthread.h>
#include <stdlib.h>

struct buffer {
    pthread_mutex_t lock;
    size_t used, size;
    char text[];
};

static struct buffer *log_, *trace;

static struct buffer *fresh(size_t size)
{
    struct buffer *buffer = malloc(sizeof *buffer + size);
    if (!buffer)
        abort();
    pthread_mutex_init(&buffer->lock, NULL);
    buffer->used = 0;
    buffer->size = size;
    return buffer;
}

static void put(struct buffer *buffer, char c)
{
#ifdef BUG
    pthread_mutex_lock(&trace->lock);
#else
    pthread_mutex_lock(&buffer->lock);
#endif
    if (buffer->used < buffer->size)
        buffer->text[buffer->used++] = c;
#ifdef BUG
    pthread_mutex_unlock(&trace->lock);
#else
    pthread_mutex_unlock(&buffer->lock);
#endif
}

static char last(struct buffer *buffer)
{
    char c = 0;
    pthread_mutex_lock(&buffer->lock);
    char *text = buffer->text;
    if (buffer->used)
        c = text[buffer->used - 1];
    pthread_mutex_unlock(&buffer->lock);
    return c;
}

static void *worker(void *arg)
{
    put(log_, 'a');
    put(trace, 'b');
    last(log_);
    return arg;
}

int main(void)
{
    pthread_t t[2];
    log_ = fresh(8);
    trace = fresh(4);
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
