#ifndef __TW_SCHED_H
#define __TW_SCHED_H
#include <time.h>
#include <sys/types.h>
struct sched_param { int sched_priority; };
typedef struct { unsigned long bits[16]; } cpu_set_t;
#define SCHED_OTHER 0
#define SCHED_FIFO 1
#define SCHED_RR 2
#define CPU_SETSIZE 1024
#define CPU_ZERO(set) ((void)(set))
#define CPU_SET(cpu, set) ((void)(cpu), (void)(set))
#define CPU_CLR(cpu, set) ((void)(cpu), (void)(set))
int sched_yield(void);
int sched_get_priority_max(int policy);
int sched_get_priority_min(int policy);
int sched_getcpu(void);
int sched_setscheduler(pid_t process, int policy, const struct sched_param *parameters);
int sched_setaffinity(pid_t process, size_t size, const cpu_set_t *set);
#endif
