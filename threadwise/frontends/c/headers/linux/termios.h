#ifndef __TW_LINUX_TERMIOS_H
#define __TW_LINUX_TERMIOS_H
#include <termios.h>
#endif
