#ifndef __TW_LINUX_INOTIFY_H
#define __TW_LINUX_INOTIFY_H
#include <sys/inotify.h>
#endif
