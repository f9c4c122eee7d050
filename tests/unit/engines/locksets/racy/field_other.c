/* The lock of one device's context, the count of another device. */
#include <pthread.h>
#include <stdlib.h>
struct context { pthread_mutex_t m; };
struct device { struct context *context; int count; };
struct device *devices[2];
extern int __VERIFIER_nondet_int(void);
void *work(void *unused)
{
    int i = __VERIFIER_nondet_int() & 1;
    struct device *here = devices[i], *there = devices[1 - i];
    pthread_mutex_lock(&here->context->m);
    there->count++;
    pthread_mutex_unlock(&here->context->m);
    return 0;
}
void *other(void *unused)
{
    struct device *here = devices[__VERIFIER_nondet_int() & 1];
    pthread_mutex_lock(&here->context->m);
    here->count++;
    pthread_mutex_unlock(&here->context->m);
    return 0;
}
int main(void)
{
    pthread_t a, b;
    for (int i = 0; i < 2; i++) {
        devices[i] = malloc(sizeof *devices[i]);
        devices[i]->context = malloc(sizeof(struct context));
        pthread_mutex_init(&devices[i]->context->m, 0);
        devices[i]->count = 0;
    }
    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, other, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
