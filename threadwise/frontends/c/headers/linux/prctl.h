#ifndef __TW_LINUX_PRCTL_H
#define __TW_LINUX_PRCTL_H
#include <sys/prctl.h>
#endif
