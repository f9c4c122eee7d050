// busy_devices.c with a bug: the flag is set after the mutex was released, so that two threads may
// take one device.
//
// expect races: UNSAFE

#include <pthread.h>
#include <stdio.h>

#define DEVICES 4

struct device {
    int busy;
    int used;
    char buffer[64];
};

static struct device devices[DEVICES];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t idle = PTHREAD_COND_INITIALIZER;

static struct device *take(void)
{
    pthread_mutex_lock(&lock);
    for (;;) {
        for (int i = 0; i < DEVICES; i++)
            if (!devices[i].busy) {
                pthread_mutex_unlock(&lock);
                devices[i].busy = 1;
                return &devices[i];
            }
        pthread_cond_wait(&idle, &lock);
    }
}

static void give(struct device *device)
{
    pthread_mutex_lock(&lock);
    device->busy = 0;
    pthread_cond_signal(&idle);
    pthread_mutex_unlock(&lock);
}

static void *user(void *argument)
{
    for (int round = 0; round < 100; round++) {
        struct device *device = take();
        device->used = snprintf(device->buffer, sizeof device->buffer, "round %d", round);
        give(device);
    }
    return NULL;
}

int main(void)
{
    for (;;) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, user, NULL) != 0)
            return 1;
        pthread_detach(thread);
    }
}
