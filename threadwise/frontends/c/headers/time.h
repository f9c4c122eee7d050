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
typedef struct __tw_locale *locale_t;
struct sigevent;
#define CLOCK_BOOTTIME 7
#define CLOCK_REALTIME_ALARM 8
#define CLOCK_BOOTTIME_ALARM 9
#define CLOCK_TAI 11
#define ADJ_OFFSET 0x1
#define ADJ_FREQUENCY 0x2
#define ADJ_MAXERROR 0x4
#define ADJ_ESTERROR 0x8
#define ADJ_STATUS 0x10
#define ADJ_TIMECONST 0x20
#define ADJ_TAI 0x80
#define ADJ_SETOFFSET 0x100
#define ADJ_MICRO 0x1000
#define ADJ_NANO 0x2000
#define ADJ_TICK 0x4000
#define ADJ_OFFSET_SINGLESHOT 0x8001
#define ADJ_OFFSET_SS_READ 0xa001
#define MOD_OFFSET 1
#define MOD_FREQUENCY 2
#define MOD_MAXERROR 4
#define MOD_ESTERROR 8
#define MOD_STATUS 16
#define MOD_TIMECONST 32
#define MOD_CLKB 16384
#define MOD_CLKA 32769
#define MOD_TAI 128
#define MOD_MICRO 4096
#define MOD_NANO 8192
#define STA_PLL 0x1
#define STA_PPSFREQ 0x2
#define STA_PPSTIME 0x4
#define STA_FLL 0x8
#define STA_INS 0x10
#define STA_DEL 0x20
#define STA_UNSYNC 0x40
#define STA_FREQHOLD 0x80
#define STA_PPSSIGNAL 0x100
#define STA_PPSJITTER 0x200
#define STA_PPSWANDER 0x400
#define STA_PPSERROR 0x800
#define STA_CLOCKERR 0x1000
#define STA_NANO 0x2000
#define STA_MODE 0x4000
#define STA_CLK 0x8000
#define STA_RONLY 65280
extern char *tzname[2];
extern int daylight;
extern long timezone;
extern int getdate_err;
size_t strftime_l(char *restrict, size_t, const char *restrict, const struct tm *restrict,
    locale_t);
time_t timelocal(struct tm *);
int dysize(int);
int clock_getcpuclockid(pid_t, clockid_t *);
int timer_create(clockid_t, struct sigevent *restrict, timer_t *restrict);
int timer_delete(timer_t);
int timer_settime(timer_t, int, const struct itimerspec *restrict, struct itimerspec *restrict);
int timer_gettime(timer_t, struct itimerspec *);
int timer_getoverrun(timer_t);
int timespec_getres(struct timespec *, int);
struct tm *getdate(const char *);
int getdate_r(const char *restrict, struct tm *restrict);
#endif
