/* The device gets another context when others know it already. */
#include <pthread.h>
#include <stdlib.h>
struct context { pthread_mutex_t m; };
struct device { struct context *context; int count; };
struct context one = { PTHREAD_MUTEX_INITIALIZER }, two = { PTHREAD_MUTEX_INITIALIZER };
struct device *shared;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void *work(void *unused)
{
    struct device *device = malloc(sizeof *device);
    device->context = &one;
    device->count = 0;
    pthread_mutex_lock(&m);
    shared = device;
    device->context = &two;
    pthread_mutex_unlock(&m);
    pthread_mutex_lock(&two.m);
    device->count++;
    pthread_mutex_unlock(&two.m);
    return 0;
}
void *look(void *unused)
{
    pthread_mutex_lock(&m);
    struct device *device = shared;
    struct context *context = device ? device->context : 0;
    pthread_mutex_unlock(&m);
    if (device) {
        pthread_mutex_lock(&one.m);
        device->count++;
        pthread_mutex_unlock(&one.m);
    }
    return context;
}
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, look, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
