#ifndef __TW_LINUX_PTRACE_H
#define __TW_LINUX_PTRACE_H
#include <sys/ptrace.h>
#endif
