// A signal may be ignored; a handler ends what is SAFE, not what is found.
//
// expect assertions: SAFE
// expect -D HANDLED assertions: UNKNOWN
// expect -D FOUND assertions: UNSAFE

#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <sys/time.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

void *__library_handler(void *unused);
void __library_installs(void);
void __library_handles(int number, sighandler_t handler);
void __library_interrupt(void);
sighandler_t signal(int number, sighandler_t handler);
int sigaction(int number, const struct sigaction *action, struct sigaction *old);
int raise(int number);
int kill(pid_t process, int number);
int killpg(pid_t group, int number);
int pthread_kill(pthread_t thread, int number);
int sigwait(const sigset_t *set, int *number);
int sigwaitinfo(const sigset_t *set, siginfo_t *information);
int sigtimedwait(const sigset_t *set, siginfo_t *information, const struct timespec *time);
int sigsuspend(const sigset_t *set);
int sigismember(const sigset_t *set, int number);
int sigpending(sigset_t *set);
int sigaltstack(const stack_t *stack, stack_t *old);
unsigned int alarm(unsigned int seconds);
int setitimer(int which, const struct itimerval *value, struct itimerval *old);
int pause(void);

static void others(void)
{
    __library_handler(0);
    __library_installs();
    __library_handles(0, 0);
    __library_interrupt();
    sigaction(0, 0, 0);
    raise(0);
    kill(0, 0);
    killpg(0, 0);
    pthread_kill(0, 0);
    sigwait(0, 0);
    sigwaitinfo(0, 0);
    sigtimedwait(0, 0, 0);
    sigsuspend(0);
    sigismember(0, 0);
    sigpending(0);
    sigaltstack(0, 0);
    alarm(0);
    setitimer(0, 0, 0);
    pause();
}

static int seen;

static void handle(int number)
{
    seen = number;
}

int main(void)
{
    assert(signal(SIGPIPE, SIG_IGN) == SIG_DFL);
    assert(signal(SIGPIPE, SIG_IGN) == SIG_IGN);
    assert(signal(SIGKILL, SIG_IGN) == SIG_ERR);
    assert(sigaction(65, 0, 0) == -1 && errno == EINVAL);
    assert(sigaction(SIGTERM, 0, 0) == 0);
#if defined(HANDLED) || defined(FOUND)
    signal(SIGINT, handle);
#endif
#ifdef FOUND
    assert(seen == 1);
#endif
    assert(seen == 0);
    (void)handle;
    (void)others;
    return 0;
}
