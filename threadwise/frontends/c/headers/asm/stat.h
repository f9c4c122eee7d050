#ifndef __TW_ASM_STAT_H
#define __TW_ASM_STAT_H
#include <sys/stat.h>
#endif
