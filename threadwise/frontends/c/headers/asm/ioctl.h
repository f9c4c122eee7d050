#ifndef __TW_ASM_IOCTL_H
#define __TW_ASM_IOCTL_H
#include <sys/ioctl.h>
#endif
