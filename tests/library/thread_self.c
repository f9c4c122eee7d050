// Every thread has its own id, the one that its creator got.
//
// expect assertions: SAFE

#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_t starter, child;

static void *work(void *unused)
{
    assert(!pthread_equal(pthread_self(), starter));
    child = pthread_self();
    return NULL;
}

int main(void)
{
    pthread_t thread;
    starter = pthread_self();
    assert(pthread_equal(starter, pthread_self()));
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    assert(pthread_equal(child, thread));
    assert(!pthread_equal(child, starter));
    return 0;
}
