// Moments are not computed; some are in memory that all threads share.
//
// expect races: UNSAFE

#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/times.h>
#include <sys/types.h>
#include <time.h>

struct tm *gmtime_r(const time_t *moment, struct tm *result);
struct tm *localtime_r(const time_t *moment, struct tm *result);
struct tm *gmtime(const time_t *moment);
struct tm *localtime(const time_t *moment);
time_t mktime(struct tm *parts);
time_t timegm(struct tm *parts);
void __library_fill_moment(struct tm *result);
size_t strftime(char *text, size_t size, const char *format, const struct tm *parts);
char *strptime(const char *text, const char *format, struct tm *parts);
char *asctime_r(const struct tm *parts, char *text);
char *ctime_r(const time_t *moment, char *text);
char *asctime(const struct tm *parts);
char *ctime(const time_t *moment);
void tzset(void);
int clock_settime(clockid_t clock, const struct timespec *moment);
int settimeofday(const struct timeval *moment, const struct timezone *zone);
clock_t times(struct tms *result);
int timerfd_create(int clock, int flags);
int timerfd_settime(int file, int flags, const struct itimerspec *value, struct itimerspec *old);
int eventfd(unsigned int value, int flags);

static void others(void)
{
    gmtime_r(0, 0);
    localtime_r(0, 0);
    gmtime(0);
    mktime(0);
    timegm(0);
    __library_fill_moment(0);
    strftime(0, 0, 0, 0);
    strptime(0, 0, 0);
    asctime_r(0, 0);
    ctime_r(0, 0);
    asctime(0);
    ctime(0);
    tzset();
    clock_settime(0, 0);
    settimeofday(0, 0);
    times(0);
    timerfd_create(0, 0);
    timerfd_settime(0, 0, 0, 0);
    eventfd(0, 0);
}

static time_t now;

static void *work(void *unused)
{
    localtime(&now);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    work(NULL);
    pthread_join(thread, NULL);
    (void)others;
    return 0;
}
