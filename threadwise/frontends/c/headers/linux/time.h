#ifndef __TW_LINUX_TIME_H
#define __TW_LINUX_TIME_H
#include <sys/time.h>
#include <time.h>
#endif
