#ifndef __TW_LINUX_LIMITS_H
#define __TW_LINUX_LIMITS_H
#include <limits.h>
#endif
