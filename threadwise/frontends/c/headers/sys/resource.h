#ifndef __TW_SYS_RESOURCE_H
#define __TW_SYS_RESOURCE_H
#include <sys/types.h>
#include <sys/time.h>
typedef unsigned long rlim_t;
struct rlimit { rlim_t rlim_cur, rlim_max; };
struct rusage {
    struct timeval ru_utime, ru_stime;
    long ru_maxrss, ru_ixrss, ru_idrss, ru_isrss, ru_minflt, ru_majflt, ru_nswap, ru_inblock;
    long ru_oublock, ru_msgsnd, ru_msgrcv, ru_nsignals, ru_nvcsw, ru_nivcsw;
};
#define RLIM_INFINITY (~0UL)
#define RLIMIT_CPU 0
#define RLIMIT_DATA 2
#define RLIMIT_STACK 3
#define RLIMIT_CORE 4
#define RLIMIT_NOFILE 7
#define RLIMIT_AS 9
#define RUSAGE_SELF 0
#define RUSAGE_CHILDREN (-1)
#define PRIO_PROCESS 0
int getrlimit(int resource, struct rlimit *limits);
int setrlimit(int resource, const struct rlimit *limits);
int getrusage(int who, struct rusage *usage);
int getpriority(int which, id_t who);
int setpriority(int which, id_t who, int priority);
typedef __UINT64_TYPE__ rlim64_t;
struct rlimit64 { rlim64_t rlim_cur; rlim64_t rlim_max; };
#define RLIMIT_FSIZE 1
#define RLIMIT_RSS 5
#define RLIMIT_OFILE 7
#define RLIMIT_NPROC 6
#define RLIMIT_MEMLOCK 8
#define RLIMIT_LOCKS 10
#define RLIMIT_SIGPENDING 11
#define RLIMIT_MSGQUEUE 12
#define RLIMIT_NICE 13
#define RLIMIT_RTPRIO 14
#define RLIMIT_RTTIME 15
#define RLIMIT_NLIMITS 16
#define RLIM_NLIMITS 16
#define RLIM64_INFINITY 0xffffffffffffffffUL
#define RLIM_SAVED_MAX 18446744073709551615UL
#define RLIM_SAVED_CUR 18446744073709551615UL
#define RUSAGE_THREAD 1
#define RUSAGE_LWP 1
#define PRIO_MIN (-20)
#define PRIO_MAX 20
#define PRIO_PGRP 1
#define PRIO_USER 2
int getrlimit64(int resource, struct rlimit64 *limits);
int setrlimit64(int resource, const struct rlimit64 *limits);
int prlimit(pid_t process, int resource, const struct rlimit *limits, struct rlimit *old);
int prlimit64(pid_t process, int resource, const struct rlimit64 *limits, struct rlimit64 *old);
#endif
