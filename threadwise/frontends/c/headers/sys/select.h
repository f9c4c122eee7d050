#ifndef __TW_SYS_SELECT_H
#define __TW_SYS_SELECT_H
#include <sys/time.h>
typedef struct { unsigned long __bits; } fd_set;
#define FD_SETSIZE 64
#define FD_ZERO(set) ((void)((set)->__bits = 0))
#define FD_SET(file, set) ((void)((set)->__bits |= 1UL << (file) % 64))
#define FD_CLR(file, set) ((void)((set)->__bits &= ~(1UL << (file) % 64)))
#define FD_ISSET(file, set) (((set)->__bits >> (file) % 64 & 1) != 0)
int select(int count, fd_set *restrict reading, fd_set *restrict writing,
           fd_set *restrict failing, struct timeval *restrict timeout);
#endif
