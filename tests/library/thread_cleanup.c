// Handlers run when they are popped with a true argument, or at pthread_exit, the newest first.
// __library_cleanup_push, __library_cleanup_pop
//
// expect assertions: SAFE

#include <assert.h>
#include <errno.h>
#include <pthread.h>

static int order;

static void first(void *digit)
{
    order = order * 10 + *(int *)digit;
}

static void *leave(void *unused)
{
    static int one = 1, two = 2;
    pthread_cleanup_push(first, &one);
    pthread_cleanup_push(first, &two);
    pthread_exit(NULL);
    pthread_cleanup_pop(0);
    pthread_cleanup_pop(0);
    return NULL;
}

int main(void)
{
    int three = 3, four = 4;
    pthread_t thread;
    pthread_create(&thread, NULL, leave, NULL);
    pthread_join(thread, NULL);
    assert(order == 21);
    pthread_cleanup_push(first, &three);
    pthread_cleanup_push(first, &four);
    pthread_cleanup_pop(0);
    pthread_cleanup_pop(1);
    assert(order == 213);
    return 0;
}
