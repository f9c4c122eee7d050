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
int __library_written(void);
long __library_sent(unsigned long size);
long __library_determined(void);
void __library_disturbs(void);
void __library_may_disturb(void);

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
    __library_disturbs();
    __library_may_disturb();
    long more = __library_written() + __library_sent(2) + __library_determined();
    return more + *name + __library_fails() + __library_outcome(0);
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
