#ifndef __TW_LINUX_SYSINFO_H
#define __TW_LINUX_SYSINFO_H
#include <sys/sysinfo.h>
#endif
