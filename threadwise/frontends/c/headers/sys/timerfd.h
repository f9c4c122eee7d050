#ifndef __TW_SYS_TIMERFD_H
#define __TW_SYS_TIMERFD_H
#include <time.h>
int timerfd_create(int clock, int flags);
int timerfd_settime(int file, int flags, const struct itimerspec *value, struct itimerspec *old);
#define TFD_CLOEXEC 524288
#define TFD_NONBLOCK 2048
#define TFD_TIMER_ABSTIME 1
#define TFD_TIMER_CANCEL_ON_SET 2
int timerfd_gettime(int, struct itimerspec *);
#endif
