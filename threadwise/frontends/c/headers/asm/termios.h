#ifndef __TW_ASM_TERMIOS_H
#define __TW_ASM_TERMIOS_H
#include <termios.h>
#endif
