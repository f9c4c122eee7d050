/* Who gets the object changes its context; who gave it remembers the old one. */
#include <pthread.h>
#include <stdlib.h>
struct context { pthread_mutex_t m; int users; };
struct job { struct context *context; };
struct context one = { PTHREAD_MUTEX_INITIALIZER, 0 }, two = { PTHREAD_MUTEX_INITIALIZER, 0 };
void *work(void *argument)
{
    struct job *job = argument;
    job->context = &two;
    pthread_mutex_lock(&job->context->m);
    one.users++;
    pthread_mutex_unlock(&job->context->m);
    return 0;
}
int main(void)
{
    pthread_t a;
    struct job *job = malloc(sizeof *job);
    job->context = &one;
    struct context *context = job->context;
    pthread_create(&a, 0, work, job);
    pthread_mutex_lock(&context->m);
    context->users++;
    pthread_mutex_unlock(&context->m);
    pthread_join(a, 0);
    return 0;
}
