/* The context changes under another name of the same object. */
#include <pthread.h>
#include <stdlib.h>
struct context { pthread_mutex_t m; };
struct device { struct context *context; };
struct context one = { PTHREAD_MUTEX_INITIALIZER }, two = { PTHREAD_MUTEX_INITIALIZER };
int x;
extern int __VERIFIER_nondet_int(void);
void *work(void *unused)
{
    struct device *device = malloc(sizeof *device), *other = malloc(sizeof *other);
    struct device *same = __VERIFIER_nondet_int() ? device : other;
    other->context = &two;
    device->context = &one;
    same->context = &two;
    struct context *context = device->context;
    pthread_mutex_lock(&context->m);
    x++;
    pthread_mutex_unlock(&context->m);
    return 0;
}
int main(void)
{
    pthread_t a;
    pthread_create(&a, 0, work, 0);
    pthread_mutex_lock(&one.m);
    x++;
    pthread_mutex_unlock(&one.m);
    pthread_join(a, 0);
    return 0;
}
