// A ring buffer whose consumers wait with the wrong mutex.
//
// expect races: UNSAFE

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#define SIZE 4
struct ring { pthread_mutex_t put, get; pthread_cond_t filled; int items[SIZE]; int head, tail, count; };
static struct ring *ring;
static void ring_put(struct ring *r, int item)
{
    pthread_mutex_lock(&r->put);
    if (r->count < SIZE) {
        r->items[r->tail] = item;
        r->tail = (r->tail + 1) % SIZE;
        r->count++;
        pthread_cond_signal(&r->filled);
    }
    pthread_mutex_unlock(&r->put);
}
static int ring_get(struct ring *r)
{
    int item;
    pthread_mutex_lock(&r->get);
    while (r->count == 0)
        pthread_cond_wait(&r->filled, &r->get);
    item = r->items[r->head];
    r->head = (r->head + 1) % SIZE;
    r->count--;
    pthread_mutex_unlock(&r->get);
    return item;
}
static void *producer(void *arg)
{
    int n = *(int *)arg;
    for (int i = 0; i < n; i++) ring_put(ring, i);
    return NULL;
}
static void *consumer(void *arg)
{
    int n = *(int *)arg; long sum = 0;
    for (int i = 0; i < n; i++) sum += ring_get(ring);
    printf("%ld\n", sum);
    return NULL;
}
int main(int argc, char **argv)
{
    pthread_t p, c;
    int n = argc > 1 ? atoi(argv[1]) : 3;
    if (n <= 0) return 2;
    ring = calloc(1, sizeof *ring);
    if (ring == NULL) return 1;
    pthread_mutex_init(&ring->put, NULL);
    pthread_mutex_init(&ring->get, NULL);
    pthread_cond_init(&ring->filled, NULL);
    if (pthread_create(&p, NULL, producer, &n) || pthread_create(&c, NULL, consumer, &n)) return 1;
    pthread_join(p, NULL);
    pthread_join(c, NULL);
    free(ring);
    return 0;
}
