// A worker is started at the beginning, another when the load grows, and both are joined at the
// end. Wrong here: nobody waits for the second worker.
//
// expect races: UNSAFE

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

struct queue {
    pthread_mutex_t lock;
    int waiting;
    int done;
};

static struct queue queue = {PTHREAD_MUTEX_INITIALIZER, 4, 0};

static void *worker(void *argument)
{
    struct queue *q = argument;
    for (;;) {
        pthread_mutex_lock(&q->lock);
        if (q->waiting == 0) {
            pthread_mutex_unlock(&q->lock);
            return NULL;
        }
        q->waiting--;
        pthread_mutex_unlock(&q->lock);
        pthread_mutex_lock(&q->lock);
        q->done++;
        pthread_mutex_unlock(&q->lock);
    }
}

static bool busy(void)
{
    pthread_mutex_lock(&queue.lock);
    bool many = queue.waiting > 2;
    pthread_mutex_unlock(&queue.lock);
    return many;
}

int main(void)
{
    pthread_t first, second;
    bool helped = false;

    if (pthread_create(&first, NULL, worker, &queue) != 0)
        return 1;
    if (busy()) {
        if (pthread_create(&second, NULL, worker, &queue) == 0)
            helped = true;
    }
    pthread_join(first, NULL);
    if (helped)
        pthread_detach(second);
    return queue.done == 4 ? 0 : 1;
}
