#ifndef __TW_ASM_TYPES_H
#define __TW_ASM_TYPES_H
#include <linux/types.h>
#endif
