#ifndef __TW_SYS_TIMEX_H
#define __TW_SYS_TIMEX_H
#include <sys/time.h>
struct timex {
    unsigned int modes;
    long offset;
    long freq;
    long maxerror;
    long esterror;
    int status;
    long constant;
    long precision;
    long tolerance;
    struct timeval time;
    long tick;
    long ppsfreq;
    long jitter;
    int shift;
    long stabil;
    long jitcnt;
    long calcnt;
    long errcnt;
    long stbcnt;
    int tai;
    int : 32;
    int : 32;
    int : 32;
    int : 32;
    int : 32;
    int : 32;
    int : 32;
    int : 32;
    int : 32;
    int : 32;
    int : 32;
};
struct ntptimeval {
    struct timeval time;
    long maxerror;
    long esterror;
    long tai;
    long __glibc_reserved1;
    long __glibc_reserved2;
    long __glibc_reserved3;
    long __glibc_reserved4;
};
#define NTP_API 4
#define TIME_OK 0
#define TIME_INS 1
#define TIME_DEL 2
#define TIME_OOP 3
#define TIME_WAIT 4
#define TIME_ERROR 5
#define TIME_BAD 5
#define MAXTC 6
int adjtimex(struct timex *);
int ntp_gettimex(struct ntptimeval *);
int ntp_gettime(struct ntptimeval *);
int ntp_adjtime(struct timex *);
#endif
