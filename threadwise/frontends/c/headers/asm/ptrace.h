#ifndef __TW_ASM_PTRACE_H
#define __TW_ASM_PTRACE_H
#include <sys/ptrace.h>
#endif
