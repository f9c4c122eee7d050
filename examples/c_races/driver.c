// A driver: an interrupt handler behind a pointer, and two users with calls of their own.
//
// expect races: SAFE

#include <pthread.h>
#include <stdlib.h>

int __VERIFIER_nondet_int(void);

struct device {
    pthread_mutex_t lock;
    int open;
    int interrupts;
    int registers[4];
};

static struct device device;
static void (*handler)(struct device *);

static void on_interrupt(struct device *d) {
    pthread_mutex_lock(&d->lock);
    d->interrupts++;
    d->registers[d->interrupts & 3] = 1;
    pthread_mutex_unlock(&d->lock);
}

static int open_device(struct device *d) {
    int result = -1;
    pthread_mutex_lock(&d->lock);
    if (!d->open) {
        d->open = 1;
        result = 0;
    }
    pthread_mutex_unlock(&d->lock);
    return result;
}

static int control(struct device *d, int command) {
    int result = 0;
    pthread_mutex_lock(&d->lock);
    switch (command) {
    case 0:
        result = d->registers[0];
        break;
    case 1:
        d->registers[1] = 3;
        break;
    case 2:
        pthread_mutex_unlock(&d->lock);
        return -1;
    default:
        result = -22;
    }
    pthread_mutex_unlock(&d->lock);
    return result;
}

static void *interrupts(void *d) {
    while (__VERIFIER_nondet_int())
        handler(d);
    return 0;
}

static void *user(void *d) {
    if (open_device(d) == 0)
        while (__VERIFIER_nondet_int())
            control(d, __VERIFIER_nondet_int());
    return 0;
}

int main(void) {
    pthread_t a, b, c;
    pthread_mutex_init(&device.lock, 0);
    handler = on_interrupt;
    pthread_create(&a, 0, interrupts, &device);
    pthread_create(&b, 0, user, &device);
    pthread_create(&c, 0, user, &device);
    pthread_join(a, 0);
    pthread_join(b, 0);
    pthread_join(c, 0);
    device.open = 0;
    return 0;
}
