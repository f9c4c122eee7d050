// Masks of signals have no effect: there are no signals.
//
// expect assertions: SAFE

#include <assert.h>
#include <signal.h>

int main(void)
{
    sigset_t set;
    assert(sigemptyset(&set) == 0 && sigfillset(&set) == 0);
    assert(sigaddset(&set, SIGUSR1) == 0 && sigdelset(&set, SIGUSR1) == 0);
    assert(sigprocmask(SIG_BLOCK, &set, 0) == 0);
    assert(pthread_sigmask(SIG_UNBLOCK, &set, 0) == 0);
    return 0;
}
