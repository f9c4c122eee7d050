#ifndef __TW_LINUX_KERNEL_H
#define __TW_LINUX_KERNEL_H
#include <sys/sysinfo.h>
#endif
