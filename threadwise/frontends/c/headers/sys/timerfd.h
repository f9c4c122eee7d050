#ifndef __TW_SYS_TIMERFD_H
#define __TW_SYS_TIMERFD_H
#include <time.h>
int timerfd_create(int clock, int flags);
int timerfd_settime(int file, int flags, const struct itimerspec *value, struct itimerspec *old);
#endif
