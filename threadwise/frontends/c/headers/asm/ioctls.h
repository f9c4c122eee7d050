#ifndef __TW_ASM_IOCTLS_H
#define __TW_ASM_IOCTLS_H
#include <sys/ioctl.h>
#endif
