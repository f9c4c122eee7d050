#ifndef __TW_SYS_TIME_H
#define __TW_SYS_TIME_H
#include <sys/types.h>
struct timeval { time_t tv_sec; suseconds_t tv_usec; };
struct timezone { int tz_minuteswest, tz_dsttime; };
int gettimeofday(struct timeval *result, void *zone);
struct itimerval { struct timeval it_interval; struct timeval it_value; };
#define ITIMER_REAL 0
#define ITIMER_VIRTUAL 1
#define ITIMER_PROF 2
int settimeofday(const struct timeval *moment, const struct timezone *zone);
int adjtime(const struct timeval *, struct timeval *);
int utimes(const char *path, const struct timeval times[2]);
int lutimes(const char *, const struct timeval [2]);
int futimes(int, const struct timeval [2]);
int futimesat(int, const char *, const struct timeval [2]);
int getitimer(int which, struct itimerval *value);
int setitimer(int which, const struct itimerval *restrict value, struct itimerval *restrict old);
#define timerclear(time) ((time)->tv_sec = (time)->tv_usec = 0)
#define timerisset(time) ((time)->tv_sec || (time)->tv_usec)
#define timercmp(one, other, compared) \
    ((one)->tv_sec == (other)->tv_sec ? (one)->tv_usec compared (other)->tv_usec \
                                      : (one)->tv_sec compared (other)->tv_sec)
#define timeradd(one, other, sum) \
    do { \
        (sum)->tv_sec = (one)->tv_sec + (other)->tv_sec; \
        (sum)->tv_usec = (one)->tv_usec + (other)->tv_usec; \
        if ((sum)->tv_usec >= 1000000) { \
            ++(sum)->tv_sec; \
            (sum)->tv_usec -= 1000000; \
        } \
    } while (0)
#define timersub(one, other, difference) \
    do { \
        (difference)->tv_sec = (one)->tv_sec - (other)->tv_sec; \
        (difference)->tv_usec = (one)->tv_usec - (other)->tv_usec; \
        if ((difference)->tv_usec < 0) { \
            --(difference)->tv_sec; \
            (difference)->tv_usec += 1000000; \
        } \
    } while (0)
#define TIMEVAL_TO_TIMESPEC(from, to) \
    ((void)((to)->tv_sec = (from)->tv_sec, (to)->tv_nsec = (from)->tv_usec * 1000))
#define TIMESPEC_TO_TIMEVAL(to, from) \
    ((void)((to)->tv_sec = (from)->tv_sec, (to)->tv_usec = (from)->tv_nsec / 1000))
#include <sys/select.h>
#endif
