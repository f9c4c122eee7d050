#ifndef __TW_ASM_RESOURCE_H
#define __TW_ASM_RESOURCE_H
#include <sys/resource.h>
#endif
