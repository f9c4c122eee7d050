#ifndef __TW_SIGNAL_H
#define __TW_SIGNAL_H
#include <sys/types.h>
#include <pthread.h>
typedef int sig_atomic_t;
typedef void (*sighandler_t)(int);
struct __tw_sigset { unsigned long bits; };
typedef struct __tw_sigset sigset_t;
typedef struct { void *ss_sp; int ss_flags; size_t ss_size; } stack_t;
typedef struct { int si_signo, si_code; pid_t si_pid; } siginfo_t;
struct sigaction {
    void (*sa_handler)(int);
    void (*sa_sigaction)(int, siginfo_t *, void *);
    sigset_t sa_mask;
    int sa_flags;
};
#define SIG_DFL ((sighandler_t)0)
#define SIG_IGN ((sighandler_t)1)
#define SIG_ERR ((sighandler_t)-1)
#define SIG_BLOCK 0
#define SIG_UNBLOCK 1
#define SIG_SETMASK 2
#define SA_RESTART 0x10000000
#define SA_SIGINFO 4
#define SIGHUP 1
#define SIGINT 2
#define SIGQUIT 3
#define SIGILL 4
#define SIGTRAP 5
#define SIGABRT 6
#define SIGBUS 7
#define SIGFPE 8
#define SIGKILL 9
#define SIGUSR1 10
#define SIGSEGV 11
#define SIGUSR2 12
#define SIGPIPE 13
#define SIGALRM 14
#define SIGTERM 15
#define SIGCHLD 17
#define SIGCONT 18
#define SIGSTOP 19
#define SIGTSTP 20
#define SIGTTIN 21
#define SIGTTOU 22
#define SIGURG 23
#define SIGWINCH 28
#define SIGIO 29
#define SA_NOCLDSTOP 1
#define SA_NOCLDWAIT 2
#define SA_ONSTACK 0x08000000
#define SA_NODEFER 0x40000000
#define SA_RESETHAND 0x80000000
sighandler_t signal(int number, sighandler_t handler);
int raise(int number);
int kill(pid_t process, int number);
int sigaction(int number, const struct sigaction *action, struct sigaction *old);
int sigemptyset(sigset_t *set);
int sigfillset(sigset_t *set);
int sigaddset(sigset_t *set, int number);
int sigdelset(sigset_t *set, int number);
int sigprocmask(int how, const sigset_t *set, sigset_t *old);
int pthread_sigmask(int how, const sigset_t *set, sigset_t *old);
int sigwait(const sigset_t *set, int *number);
int sigsuspend(const sigset_t *set);
int sigismember(const sigset_t *set, int number);
int sigpending(sigset_t *set);
int killpg(pid_t group, int number);
int sigaltstack(const stack_t *stack, stack_t *old);
int sigwaitinfo(const sigset_t *set, siginfo_t *information);
struct timespec;
int sigtimedwait(const sigset_t *set, siginfo_t *information, const struct timespec *time);
#endif
