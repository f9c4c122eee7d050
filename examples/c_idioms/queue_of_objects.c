// Requests go through a queue; whoever takes one out is its only user.
//
// expect races: SAFE

#include <pthread.h>
#include <stdlib.h>

struct request {
    int size;
    int answer;
    struct request *next;
};

struct queue {
    pthread_mutex_t lock;
    pthread_cond_t filled;
    struct request *head;
    int closed;
};

static struct queue queue = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, NULL, 0};

static void push(struct queue *q, struct request *r)
{
    pthread_mutex_lock(&q->lock);
    r->next = q->head;
    q->head = r;
    pthread_cond_signal(&q->filled);
    pthread_mutex_unlock(&q->lock);
}

static struct request *pop(struct queue *q)
{
    pthread_mutex_lock(&q->lock);
    while (!q->head && !q->closed)
        pthread_cond_wait(&q->filled, &q->lock);
    struct request *r = q->head;
    if (r)
        q->head = r->next;
    pthread_mutex_unlock(&q->lock);
    return r;
}

static void *worker(void *unused)
{
    struct request *r;
    while ((r = pop(&queue))) {
        r->answer = r->size * 2;
        free(r);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        if (pthread_create(&threads[i], NULL, worker, NULL) != 0)
            abort();
    for (int i = 0; i < 3; i++) {
        struct request *r = malloc(sizeof *r);
        if (!r)
            break;
        r->size = i;
        push(&queue, r);
    }
    pthread_mutex_lock(&queue.lock);
    queue.closed = 1;
    pthread_cond_broadcast(&queue.filled);
    pthread_mutex_unlock(&queue.lock);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
