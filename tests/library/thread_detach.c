// A detached thread goes on; main does not wait for it.
//
// expect -D WAIT assertions: UNSAFE
// expect deadlocks: SAFE

#include <assert.h>
#include <errno.h>
#include <pthread.h>

static void *work(void *unused)
{
#ifdef WAIT
    assert(0);
#endif
    return NULL;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    assert(pthread_detach(thread) == 0);
    return 0;
}
