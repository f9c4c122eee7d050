#ifndef __TW_UTIME_H
#define __TW_UTIME_H
#include <sys/types.h>
struct utimbuf { time_t actime; time_t modtime; };
int utime(const char *, const struct utimbuf *);
#endif
