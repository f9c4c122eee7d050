#ifndef __TW_SCHED_H
#define __TW_SCHED_H
#include <stddef.h>
#include <time.h>
#include <sys/types.h>
struct sched_param { int sched_priority; };
typedef struct { unsigned long bits[16]; } cpu_set_t;
#define SCHED_OTHER 0
#define SCHED_FIFO 1
#define SCHED_RR 2
#define CPU_SETSIZE 1024
/* Which processors are in a set is not computed: that it is written is. */
#define CPU_ZERO(set) ((void)((set)->bits[0] = 0))
#define CPU_SET(cpu, set) ((void)(cpu), (void)((set)->bits[0] = 1))
#define CPU_CLR(cpu, set) ((void)(cpu), (void)((set)->bits[0] = 1))
int sched_yield(void);
int sched_get_priority_max(int policy);
int sched_get_priority_min(int policy);
int sched_getcpu(void);
int sched_setscheduler(pid_t process, int policy, const struct sched_param *parameters);
int sched_setaffinity(pid_t process, size_t size, const cpu_set_t *set);
#define SCHED_BATCH 3
#define SCHED_ISO 4
#define SCHED_IDLE 5
#define SCHED_DEADLINE 6
#define SCHED_RESET_ON_FORK 0x40000000
#define CSIGNAL 0xff
#define CLONE_VM 0x100
#define CLONE_FS 0x200
#define CLONE_FILES 0x400
#define CLONE_SIGHAND 0x800
#define CLONE_PIDFD 0x1000
#define CLONE_PTRACE 0x2000
#define CLONE_VFORK 0x4000
#define CLONE_PARENT 0x8000
#define CLONE_THREAD 0x10000
#define CLONE_NEWNS 0x20000
#define CLONE_SYSVSEM 0x40000
#define CLONE_SETTLS 0x80000
#define CLONE_PARENT_SETTID 0x100000
#define CLONE_CHILD_CLEARTID 0x200000
#define CLONE_DETACHED 0x400000
#define CLONE_UNTRACED 0x800000
#define CLONE_CHILD_SETTID 0x1000000
#define CLONE_NEWCGROUP 0x2000000
#define CLONE_NEWUTS 0x4000000
#define CLONE_NEWIPC 0x8000000
#define CLONE_NEWUSER 0x10000000
#define CLONE_NEWPID 0x20000000
#define CLONE_NEWNET 0x40000000
#define CLONE_IO 0x80000000U
#define CLONE_NEWTIME 0x80
int clone(int (*)(void *), void *, int, void *, ...);
int unshare(int);
int getcpu(unsigned int *, unsigned int *);
int setns(int, int);
int sched_setparam(pid_t, const struct sched_param *);
int sched_getparam(pid_t, struct sched_param *);
int sched_getscheduler(pid_t);
int sched_rr_get_interval(pid_t, struct timespec *);
int sched_getaffinity(pid_t, size_t, cpu_set_t *);
#define CPU_SETSIZE 1024
#endif
