// Elements are linked by a member of theirs, as in kernels; `entry` goes back to the element.
//
// expect races: SAFE

#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

struct link {
    struct link *next, *previous;
};

struct request {
    int bytes;
    struct link queue;
};

#define entry(pointer, type, member) ((type *)((char *)(pointer) - offsetof(type, member)))

static struct link pending = { &pending, &pending };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void add(struct link *fresh, struct link *head)
{
    fresh->next = head;
    fresh->previous = head->previous;
    head->previous->next = fresh;
    head->previous = fresh;
}

static void cut(struct link *old)
{
    old->previous->next = old->next;
    old->next->previous = old->previous;
}

static void *submit(void *unused)
{
    for (int i = 0; i < 3; i++) {
        struct request *request = malloc(sizeof *request);
        request->bytes = i;
        pthread_mutex_lock(&lock);
        add(&request->queue, &pending);
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

static void *complete(void *unused)
{
    pthread_mutex_lock(&lock);
    struct request *request = entry(pending.next, struct request, queue);
    while (&request->queue != &pending) {
        struct request *following = entry(request->queue.next, struct request, queue);
        request->bytes = 0;
        cut(&request->queue);
        request = following;
    }
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t first, second;
    pthread_create(&first, NULL, submit, NULL);
    pthread_create(&second, NULL, complete, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
