#ifndef __TW_ASM_MMAN_H
#define __TW_ASM_MMAN_H
#include <sys/mman.h>
#endif
