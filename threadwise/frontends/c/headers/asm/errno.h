#ifndef __TW_ASM_ERRNO_H
#define __TW_ASM_ERRNO_H
#include <errno.h>
#endif
