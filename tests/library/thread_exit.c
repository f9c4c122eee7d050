// pthread_exit ends the thread, deep inside calls; in main, others go on.
//
// expect assertions: SAFE
// expect -D AFTER assertions: UNSAFE

#include <assert.h>
#include <errno.h>
#include <pthread.h>

static int shared;

static void deep(void)
{
    shared = 1;
    pthread_exit(&shared);
}

static void *work(void *unused)
{
    deep();
    assert(0);
    return NULL;
}

static void *last(void *unused)
{
#ifdef AFTER
    assert(0);
#endif
    return NULL;
}

int main(void)
{
    void *result;
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, &result);
    assert(result == &shared && shared == 1);
    pthread_create(&thread, NULL, last, NULL);
    pthread_exit(NULL);
    assert(0);
}
