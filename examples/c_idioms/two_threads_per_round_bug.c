// In every round a reader and a writer work on a pipe, and both are joined before the next round.
// Wrong here: between rounds only the writer has ended.
//
// expect races: UNSAFE

#include <pthread.h>
#include <stdlib.h>

struct pipe {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int full;
    int value;
    long sum;
};

static struct pipe pipe_;

static void *put(void *argument)
{
    struct pipe *p = argument;
    pthread_mutex_lock(&p->lock);
    p->value++;
    p->full = 1;
    pthread_cond_signal(&p->changed);
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

static void *get(void *argument)
{
    struct pipe *p = argument;
    pthread_mutex_lock(&p->lock);
    while (!p->full)
        pthread_cond_wait(&p->changed, &p->lock);
    p->full = 0;
    p->sum += p->value;
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

int main(void)
{
    pthread_mutex_init(&pipe_.lock, NULL);
    pthread_cond_init(&pipe_.changed, NULL);
    for (int round = 0; round < 3; round++) {
        pthread_t reader, writer;
        if (pthread_create(&reader, NULL, get, &pipe_) != 0)
            abort();
        if (pthread_create(&writer, NULL, put, &pipe_) != 0)
            abort();
        pthread_join(writer, NULL);
        pipe_.value += pipe_.sum % 2;
        pthread_join(reader, NULL);
    }
    return pipe_.sum > 0 ? 0 : 1;
}
