// Devices share contexts; the lock of its context protects a device.
//
// expect races: SAFE

#include <pthread.h>
#include <stdlib.h>

#define DEVICES 8

int __VERIFIER_nondet_int(void);

struct context {
    pthread_mutex_t lock;
    int users;
};

struct device {
    struct context *context;
    int count;
};

static struct device *devices[DEVICES];

static void use(struct device *device)
{
    pthread_mutex_lock(&device->context->lock);
    device->count++;
    device->context->users++;
    pthread_mutex_unlock(&device->context->lock);
}

static void *work(void *unused)
{
    for (int i = 0; i < 100; i++) {
        int chosen = __VERIFIER_nondet_int();
        if (chosen >= 0 && chosen < DEVICES)
            use(devices[chosen]);
    }
    return NULL;
}

int main(void)
{
    pthread_t first, second;
    struct context *context = NULL;
    for (int i = 0; i < DEVICES; i++) {
        if (i % 4 == 0) {
            context = malloc(sizeof *context);
            pthread_mutex_init(&context->lock, NULL);
            context->users = 0;
        }
        devices[i] = malloc(sizeof *devices[i]);
        devices[i]->context = context;
        devices[i]->count = 0;
    }
    pthread_create(&first, NULL, work, NULL);
    pthread_create(&second, NULL, work, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
