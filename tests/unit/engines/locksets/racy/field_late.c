/* Which lock goes with a device changes while others run. */
#include <pthread.h>
struct context { pthread_mutex_t m; };
struct device { struct context *context; int count; };
struct context one = { PTHREAD_MUTEX_INITIALIZER }, two = { PTHREAD_MUTEX_INITIALIZER };
struct device device = { &one, 0 };
pthread_mutex_t change = PTHREAD_MUTEX_INITIALIZER;
void *work(void *unused)
{
    pthread_mutex_lock(&change);
    struct context *context = device.context;
    pthread_mutex_unlock(&change);
    pthread_mutex_lock(&context->m);
    device.count++;
    pthread_mutex_unlock(&context->m);
    return 0;
}
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, work, 0);
    pthread_mutex_lock(&change);
    device.context = &two;
    pthread_mutex_unlock(&change);
    pthread_create(&b, 0, work, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
