#ifndef __TW_ASM_FCNTL_H
#define __TW_ASM_FCNTL_H
#include <fcntl.h>
#endif
