#ifndef __TW_ASM_SIGNAL_H
#define __TW_ASM_SIGNAL_H
#include <signal.h>
#endif
