#ifndef __TW_SYS_WAIT_H
#define __TW_SYS_WAIT_H
#include <signal.h>
#include <sys/types.h>
pid_t wait(int *status);
pid_t waitpid(pid_t process, int *status, int options);
#define WNOHANG 1
#define WUNTRACED 2
#define WEXITSTATUS(status) (((status) & 0xff00) >> 8)
#define WTERMSIG(status) ((status) & 0x7f)
#define WIFEXITED(status) (WTERMSIG(status) == 0)
#define WIFSIGNALED(status) (((signed char)(((status) & 0x7f) + 1) >> 1) > 0)
pid_t wait3(int *status, int options, void *usage);
struct rusage;
typedef enum { P_ALL, P_PID, P_PGID, P_PIDFD } idtype_t;
#define WCOREFLAG 128
#define WAIT_ANY (-1)
#define WAIT_MYPGRP 0
#define WSTOPSIG(status) (((status) & 0xff00) >> 8)
#define WIFSTOPPED(status) (((status) & 0xff) == 0x7f)
#define WIFCONTINUED(status) ((status) == 0xffff)
#define WCOREDUMP(status) ((status) & 0x80)
#define W_EXITCODE(result, number) ((result) << 8 | (number))
#define W_STOPCODE(number) ((number) << 8 | 0x7f)
int waitid(idtype_t kind, id_t process, siginfo_t *information, int options);
pid_t wait4(pid_t process, int *status, int options, struct rusage *usage);
#endif
