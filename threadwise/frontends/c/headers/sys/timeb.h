#ifndef __TW_SYS_TIMEB_H
#define __TW_SYS_TIMEB_H
#include <sys/types.h>
struct timeb { time_t time; unsigned short millitm; short timezone; short dstflag; };
int ftime(struct timeb *);
#endif
