#ifndef __TW_ASM_PARAM_H
#define __TW_ASM_PARAM_H
#include <sys/param.h>
#endif
