// errno is a variable of each thread.
//
// expect assertions: SAFE
// expect races: SAFE

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <string.h>

int *__h_errno_location(void);
int __library_fails(void);
int __library_outcome(int failed);

static void *work(void *unused)
{
    assert(errno == 0);
    *__errno_location() = ENOMEM;
    assert(errno == ENOMEM);
    return NULL;
}

static int others(void)
{
    int *name = __h_errno_location();
    return *name + __library_fails() + __library_outcome(0);
}

int main(void)
{
    pthread_t thread;
    errno = EBUSY;
    pthread_create(&thread, NULL, work, NULL);
    assert(*__errno_location() == EBUSY);
    pthread_join(thread, NULL);
    assert(errno == EBUSY);
    assert(strerror(errno) != NULL);
    (void)others;
    return 0;
}
