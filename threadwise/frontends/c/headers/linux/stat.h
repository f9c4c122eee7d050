#ifndef __TW_LINUX_STAT_H
#define __TW_LINUX_STAT_H
#include <sys/stat.h>
#endif
