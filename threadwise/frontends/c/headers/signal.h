#ifndef __TW_SIGNAL_H
#define __TW_SIGNAL_H
#include <features.h>
#include <stdint.h>
#include <sys/types.h>
#include <pthread.h>
typedef int sig_atomic_t;
typedef void (*sighandler_t)(int);
struct __tw_sigset { unsigned long bits; };
typedef struct __tw_sigset sigset_t;
typedef struct { void *ss_sp; int ss_flags; size_t ss_size; } stack_t;
typedef union sigval { int sival_int; void *sival_ptr; } sigval_t;
typedef struct {
    int si_signo, si_errno, si_code;
    pid_t si_pid;
    uid_t si_uid;
    int si_status, si_timerid, si_overrun, si_fd;
    clock_t si_utime, si_stime;
    long si_band;
    sigval_t si_value;
    void *si_addr;
    short si_addr_lsb;
    void *si_lower, *si_upper, *si_call_addr;
    unsigned int si_pkey, si_arch;
    int si_syscall;
} siginfo_t;
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
#ifdef __USE_MISC
sighandler_t signal(int number, sighandler_t handler);
#else    /* its handlers interrupt calls that wait, and are gone after one signal */
sighandler_t signal(int number, sighandler_t handler) __asm__("__sysv_signal");
#endif
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
#define si_int si_value.sival_int
#define si_ptr si_value.sival_ptr
struct sigevent {
    sigval_t sigev_value;
    int sigev_signo;
    int sigev_notify;
    union {
        int _pad[12];
        pid_t _tid;
        struct {
            void (*_function)(sigval_t);
            pthread_attr_t *_attribute;
        } _sigev_thread;
    } _sigev_un;
};
typedef sighandler_t sig_t;
struct sigstack { void *ss_sp; int ss_onstack; };
#define SIGIOT 6
#define SIGCLD 17
#define SIGSTKFLT 16
#define SIGPWR 30
#define SIGSYS 31
#define SIGPOLL 29
#define SIGXFSZ 25
#define SIGXCPU 24
#define SIGVTALRM 26
#define SIGPROF 27
#define SI_ASYNCNL (-60)
#define SI_DETHREAD (-7)
#define SI_TKILL (-6)
#define SI_SIGIO (-5)
#define SI_ASYNCIO (-4)
#define SI_MESGQ (-3)
#define SI_TIMER (-2)
#define SI_QUEUE (-1)
#define SI_USER 0
#define SI_KERNEL 128
#define ILL_ILLOPC 1
#define ILL_ILLOPN 2
#define ILL_ILLADR 3
#define ILL_ILLTRP 4
#define ILL_PRVOPC 5
#define ILL_PRVREG 6
#define ILL_COPROC 7
#define ILL_BADSTK 8
#define ILL_BADIADDR 9
#define FPE_INTDIV 1
#define FPE_INTOVF 2
#define FPE_FLTDIV 3
#define FPE_FLTOVF 4
#define FPE_FLTUND 5
#define FPE_FLTRES 6
#define FPE_FLTINV 7
#define FPE_FLTSUB 8
#define FPE_FLTUNK 14
#define FPE_CONDTRAP 15
#define SEGV_MAPERR 1
#define SEGV_ACCERR 2
#define SEGV_BNDERR 3
#define SEGV_PKUERR 4
#define SEGV_ACCADI 5
#define SEGV_ADIDERR 6
#define SEGV_ADIPERR 7
#define SEGV_MTEAERR 8
#define SEGV_MTESERR 9
#define BUS_ADRALN 1
#define BUS_ADRERR 2
#define BUS_OBJERR 3
#define BUS_MCEERR_AR 4
#define BUS_MCEERR_AO 5
#define TRAP_BRKPT 1
#define TRAP_TRACE 2
#define TRAP_BRANCH 3
#define TRAP_HWBKPT 4
#define TRAP_UNK 5
#define CLD_EXITED 1
#define CLD_KILLED 2
#define CLD_DUMPED 3
#define CLD_TRAPPED 4
#define CLD_STOPPED 5
#define CLD_CONTINUED 6
#define POLL_IN 1
#define POLL_OUT 2
#define POLL_MSG 3
#define POLL_ERR 4
#define POLL_PRI 5
#define POLL_HUP 6
#define SIGEV_SIGNAL 0
#define SIGEV_NONE 1
#define SIGEV_THREAD 2
#define SIGEV_THREAD_ID 4
#define NSIG 65
#define SA_INTERRUPT 0x20000000
#define SA_NOMASK 1073741824
#define SA_ONESHOT 2147483648U
#define SA_STACK 134217728
#define SS_ONSTACK 1
#define SS_DISABLE 2
#define sigev_notify_function _sigev_un._sigev_thread._function
#define sigev_notify_attributes _sigev_un._sigev_thread._attribute
sighandler_t sysv_signal(int, sighandler_t);
sighandler_t ssignal(int, sighandler_t);
int gsignal(int);
void psignal(int, const char *);
void psiginfo(const siginfo_t *, const char *);
int sigpause(int);
int sigblock(int);
int sigsetmask(int);
int siggetmask(void);
int sigisemptyset(const sigset_t *);
int sigandset(sigset_t *, const sigset_t *, const sigset_t *);
int sigorset(sigset_t *, const sigset_t *, const sigset_t *);
int sigqueue(pid_t, int, const union sigval);
int siginterrupt(int, int);
int sigstack(struct sigstack *, struct sigstack *);
int sighold(int);
int sigrelse(int);
int sigignore(int);
sighandler_t sigset(int, sighandler_t);
int pthread_sigqueue(pthread_t, int, const union sigval);
int tgkill(pid_t, pid_t, int);
#define SIG_HOLD ((sighandler_t)2)
#define MINSIGSTKSZ 2048
#define SIGSTKSZ 8192
#define SIGRTMIN 34
#define SIGRTMAX 64
#define sigmask(number) (1U << ((number) - 1))
#endif
