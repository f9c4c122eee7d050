#ifndef __TW_LINUX_SCHED_H
#define __TW_LINUX_SCHED_H
#include <sched.h>
#endif
