// Sets of signals are computed.
//
// expect assertions: SAFE

#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <sys/time.h>
#include <sys/timeb.h>
#include <sys/timex.h>
#include <time.h>
#include <unistd.h>

time_t timelocal(struct tm *parts);
int stime(const time_t *moment);
int ftime(struct timeb *result);
sighandler_t bsd_signal(int number, sighandler_t handler);
sighandler_t __bsd_signal(int number, sighandler_t handler);
sighandler_t __sysv_signal(int number, sighandler_t handler);
sighandler_t sysv_signal(int number, sighandler_t handler);

static void mentioned(void)
{
    (void)timer_create;
    (void)timer_settime;
    (void)timer_gettime;
    (void)timer_delete;
    (void)timer_getoverrun;
    (void)getitimer;
    (void)ualarm;
    (void)timelocal;
    (void)getdate;
    (void)getdate_r;
    (void)adjtime;
    (void)adjtimex;
    (void)stime;
    (void)ftime;
    (void)clock_getcpuclockid;
    (void)sigqueue;
    (void)pthread_sigqueue;
    (void)tgkill;
    (void)siginterrupt;
    (void)sighold;
    (void)sigrelse;
    (void)sigignore;
    (void)psignal;
    (void)psiginfo;
    (void)bsd_signal;
    (void)__bsd_signal;
    (void)__sysv_signal;
    (void)sysv_signal;
    (void)ssignal;
    (void)sigset;
    (void)gsignal;
    (void)sigandset;
    (void)sigorset;
    (void)sigisemptyset;
}

int main(void)
{
    sigset_t one, other, both;
    sigemptyset(&one);
    sigfillset(&other);
    sigandset(&both, &one, &other);
    assert(sigisemptyset(&both));
    sigorset(&both, &one, &other);
    assert(!sigisemptyset(&both));
    (void)mentioned;
    return 0;
}
