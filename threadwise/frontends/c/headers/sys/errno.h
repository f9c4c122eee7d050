#ifndef __TW_SYS_ERRNO_H
#define __TW_SYS_ERRNO_H
#include <errno.h>
#endif
