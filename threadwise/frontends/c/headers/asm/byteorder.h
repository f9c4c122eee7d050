#ifndef __TW_ASM_BYTEORDER_H
#define __TW_ASM_BYTEORDER_H
#include <endian.h>
#endif
