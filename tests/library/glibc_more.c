// Names of preprocessed files do what those of the source do.
//
// expect assertions: SAFE

#define _GNU_SOURCE
#include <assert.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stddef.h>
#include <string.h>
#include <sys/select.h>
#include <time.h>

void *__memset_chk(void *to, int byte, size_t size, size_t most);
void *__mempcpy_chk(void *to, const void *from, size_t size, size_t most);
char *__stpcpy_chk(char *to, const char *from, size_t most);
void __explicit_bzero_chk(void *to, size_t size, size_t most);
int __poll_chk(struct pollfd *files, nfds_t count, int timeout, size_t most);
void __stack_chk_fail(void);
int __finite(double x);
int finite(double x);
int __isnan(double x);
int __isinf(double x);
int __signbit(double x);
int __fpclassify(double x);
int pthread_clockjoin_np(pthread_t thread, void **result, clockid_t clock, const struct timespec *limit);

static void mentioned(void)
{
    (void)__memset_chk;
    (void)__mempcpy_chk;
    (void)__stpcpy_chk;
    (void)__explicit_bzero_chk;
    (void)__poll_chk;
    (void)__stack_chk_fail;
    (void)__finite;
    (void)finite;
    (void)__isnan;
    (void)__isinf;
    (void)__signbit;
    (void)__fpclassify;
    (void)nan;
    (void)pthread_clockjoin_np;
    (void)pthread_attr_getschedpolicy;
    (void)pthread_attr_getscope;
    (void)pthread_attr_getinheritsched;
    (void)pthread_attr_getguardsize;
    (void)pthread_attr_getschedparam;
    (void)pthread_attr_setstack;
    (void)pthread_attr_setstackaddr;
    (void)pthread_mutex_getprioceiling;
}

int main(void)
{
    char text[2];
    __memset_chk(text, 'a', 2, 2);
    assert(text[1] == 'a');
    (void)mentioned;
    return 0;
}
