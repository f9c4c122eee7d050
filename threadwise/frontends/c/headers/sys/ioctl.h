#ifndef __TW_SYS_IOCTL_H
#define __TW_SYS_IOCTL_H
#include <sys/types.h>
struct winsize { unsigned short ws_row, ws_col, ws_xpixel, ws_ypixel; };
#define TIOCGWINSZ 0x5413
#define FIONREAD 0x541B
#define FIONBIO 0x5421
int ioctl(int file, unsigned long request, ...);
#endif
