#ifndef __TW_ASM_SOCKIOS_H
#define __TW_ASM_SOCKIOS_H
#include <linux/sockios.h>
#endif
