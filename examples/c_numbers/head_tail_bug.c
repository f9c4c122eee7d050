// The bug: an empty queue is not noticed. The correct program is head_tail.c.
//
// expect assertions: UNSAFE
// expect races: SAFE

#include <assert.h>
#include <pthread.h>

#define SIZE 16u
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned head, tail;

static void *producer(void *argument)
{
    while (1) {
        pthread_mutex_lock(&lock);
        if (head - tail < SIZE)
            head++;
        assert(head - tail <= SIZE);
        pthread_mutex_unlock(&lock);
    }
}

static void *consumer(void *argument)
{
    while (1) {
        pthread_mutex_lock(&lock);
        if (head + 1 != tail)
            tail++;
        assert(head - tail <= SIZE);
        pthread_mutex_unlock(&lock);
    }
}

int main(void)
{
    while (1) {
        pthread_t thread;
        pthread_create(&thread, NULL, producer, NULL);
        pthread_create(&thread, NULL, consumer, NULL);
    }
}
