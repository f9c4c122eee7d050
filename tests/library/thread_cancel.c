// To cancel a thread ends runs, not proofs of races.
//
// expect assertions: UNKNOWN
// expect -D BEFORE assertions: UNSAFE

#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stddef.h>

int pthread_cancel(pthread_t thread);
int pthread_getname_np(pthread_t thread, char *name, size_t size);
int pthread_getaffinity_np(pthread_t thread, size_t size, cpu_set_t *set);
int pthread_getcpuclockid(pthread_t thread, clockid_t *clock);
int pthread_getattr_np(pthread_t thread, pthread_attr_t *attributes);

static void others(void)
{
    pthread_getname_np(0, 0, 0);
    pthread_getaffinity_np(0, 0, 0);
    pthread_getcpuclockid(0, 0);
    pthread_getattr_np(0, 0);
}

static void *work(void *unused)
{
    return NULL;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
#ifdef BEFORE
    assert(0);
#endif
    pthread_cancel(thread);
    (void)others;
    return 0;
}
