#ifndef __TW_ASM_UNISTD_H
#define __TW_ASM_UNISTD_H
#include <sys/syscall.h>
#endif
