#ifndef __TW_ASM_TERMBITS_H
#define __TW_ASM_TERMBITS_H
#include <termios.h>
#endif
