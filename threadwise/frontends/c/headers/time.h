#ifndef __TW_TIME_H
#define __TW_TIME_H
#include <stddef.h>
#include <sys/types.h>
struct timespec { time_t tv_sec; long tv_nsec; };
struct itimerspec { struct timespec it_interval, it_value; };
struct tm {
    int tm_sec, tm_min, tm_hour, tm_mday, tm_mon, tm_year, tm_wday, tm_yday, tm_isdst;
    long tm_gmtoff;
    const char *tm_zone;
};
#define CLOCKS_PER_SEC ((clock_t)1000000)
#define CLOCK_REALTIME 0
#define CLOCK_MONOTONIC 1
#define CLOCK_PROCESS_CPUTIME_ID 2
#define CLOCK_THREAD_CPUTIME_ID 3
#define CLOCK_MONOTONIC_RAW 4
#define CLOCK_REALTIME_COARSE 5
#define CLOCK_MONOTONIC_COARSE 6
#define TIMER_ABSTIME 1
#define TIME_UTC 1
time_t time(time_t *result);
clock_t clock(void);
double difftime(time_t end, time_t start);
time_t mktime(struct tm *parts);
size_t strftime(char *text, size_t size, const char *format, const struct tm *parts);
struct tm *gmtime(const time_t *moment);
struct tm *localtime(const time_t *moment);
struct tm *gmtime_r(const time_t *moment, struct tm *result);
struct tm *localtime_r(const time_t *moment, struct tm *result);
char *ctime_r(const time_t *moment, char *text);
char *asctime_r(const struct tm *parts, char *text);
char *strptime(const char *text, const char *format, struct tm *parts);
time_t timegm(struct tm *parts);
void tzset(void);
int clock_settime(clockid_t clock, const struct timespec *moment);
char *ctime(const time_t *moment);
char *asctime(const struct tm *parts);
int nanosleep(const struct timespec *duration, struct timespec *remaining);
int clock_nanosleep(clockid_t clock, int flags, const struct timespec *duration,
                    struct timespec *remaining);
int clock_gettime(clockid_t clock, struct timespec *result);
int clock_getres(clockid_t clock, struct timespec *result);
int timespec_get(struct timespec *result, int base);
#endif
