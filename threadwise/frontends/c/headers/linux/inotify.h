#ifndef __TW_LINUX_INOTIFY_H
#define __TW_LINUX_INOTIFY_H
#include <sys/inotify.h>
#define INOTIFY_IOC_SETNEXTWD 0x40044900
#endif
