#ifndef __TW_SYS_SELECT_H
#define __TW_SYS_SELECT_H
#include <time.h>
#include <sys/time.h>
#define FD_SETSIZE 1024
typedef struct { unsigned long __bits[FD_SETSIZE / __LONG_WIDTH__]; } fd_set;
#define __tw_set_word(file, set) ((set)->__bits[(file) / __LONG_WIDTH__])
#define __tw_set_bit(file) (1UL << (file) % __LONG_WIDTH__)
#define FD_ZERO(set) ((void)(*(set) = (fd_set){ { 0 } }))
#define FD_SET(file, set) ((void)(__tw_set_word(file, set) |= __tw_set_bit(file)))
#define FD_CLR(file, set) ((void)(__tw_set_word(file, set) &= ~__tw_set_bit(file)))
#define FD_ISSET(file, set) ((__tw_set_word(file, set) & __tw_set_bit(file)) != 0)
int select(int count, fd_set *restrict reading, fd_set *restrict writing,
           fd_set *restrict failing, struct timeval *restrict timeout);
typedef struct __tw_sigset sigset_t;
int pselect(int count, fd_set *restrict reading, fd_set *restrict writing,
    fd_set *restrict failing, const struct timespec *restrict timeout,
    const sigset_t *restrict mask);
#endif
