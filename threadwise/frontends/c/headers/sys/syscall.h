#ifndef __TW_SYS_SYSCALL_H
#define __TW_SYS_SYSCALL_H
#define SYS_gettid 186
#define SYS_futex 202
#endif
