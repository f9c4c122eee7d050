#ifndef __TW_LINUX_IOCTL_H
#define __TW_LINUX_IOCTL_H
#include <sys/ioctl.h>
#endif
