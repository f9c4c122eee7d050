#ifndef __TW_SYSCALL_H
#define __TW_SYSCALL_H
#include <sys/syscall.h>
#endif
