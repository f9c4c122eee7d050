#ifndef __TW_LINUX_POSIX_TYPES_H
#define __TW_LINUX_POSIX_TYPES_H
#include <linux/types.h>
#endif
