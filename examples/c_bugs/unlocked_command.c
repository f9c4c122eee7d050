// A character driver: ioctl clears the buffer without the lock that read and the interrupt take.
//
// expect races: UNSAFE

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#define RING 16
enum { CLEAR = 1, SIZE, RATE };
struct device { pthread_mutex_t lock; pthread_cond_t ready; unsigned char data[RING]; unsigned head, tail; int rate, open, gone; };
static struct device *device_probe(int rate)
{
    struct device *d = calloc(1, sizeof *d);
    if (d == NULL) return NULL;
    pthread_mutex_init(&d->lock, NULL);
    pthread_cond_init(&d->ready, NULL);
    d->rate = rate;
    return d;
}
static int device_ioctl(struct device *d, int command, int argument)
{
    int result = 0;
    switch (command) {
    case CLEAR:
        d->head = d->tail = 0;
        break;
    case SIZE:
        pthread_mutex_lock(&d->lock);
        result = d->head - d->tail;
        pthread_mutex_unlock(&d->lock);
        break;
    case RATE:
        if (argument <= 0) return -22;
        pthread_mutex_lock(&d->lock);
        d->rate = argument;
        pthread_mutex_unlock(&d->lock);
        break;
    default:
        result = -25;
    }
    return result;
}
static int device_read(struct device *d, unsigned char *to, int n)
{
    int got = 0;
    pthread_mutex_lock(&d->lock);
    while (d->head == d->tail && !d->gone) pthread_cond_wait(&d->ready, &d->lock);
    while (got < n && d->tail != d->head) to[got++] = d->data[d->tail++ % RING];
    pthread_mutex_unlock(&d->lock);
    return got;
}
static void *irq(void *arg)
{
    struct device *d = arg;
    for (int i = 0; i < 20; i++) {
        pthread_mutex_lock(&d->lock);
        if (d->head - d->tail < RING) d->data[d->head++ % RING] = i;
        pthread_cond_signal(&d->ready);
        pthread_mutex_unlock(&d->lock);
    }
    pthread_mutex_lock(&d->lock);
    d->gone = 1;
    pthread_cond_broadcast(&d->ready);
    pthread_mutex_unlock(&d->lock);
    return NULL;
}
static void *reader(void *arg)
{
    unsigned char b[4];
    while (device_read(arg, b, sizeof b) > 0) ;
    return NULL;
}
static void *control(void *arg)
{
    device_ioctl(arg, RATE, 9600);
    if (device_ioctl(arg, SIZE, 0) > 12) device_ioctl(arg, CLEAR, 0);
    return NULL;
}
int main(void)
{
    pthread_t t[3];
    struct device *d = device_probe(100);
    if (d == NULL) return 1;
    pthread_create(&t[0], NULL, irq, d);
    pthread_create(&t[1], NULL, reader, d);
    pthread_create(&t[2], NULL, control, d);
    for (int i = 0; i < 3; i++) pthread_join(t[i], NULL);
    pthread_mutex_destroy(&d->lock);
    free(d);
    return 0;
}
