#ifndef __TW_LINUX_ERRNO_H
#define __TW_LINUX_ERRNO_H
#include <errno.h>
#endif
