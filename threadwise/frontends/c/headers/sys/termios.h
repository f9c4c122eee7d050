#ifndef __TW_SYS_TERMIOS_H
#define __TW_SYS_TERMIOS_H
#include <termios.h>
#endif
