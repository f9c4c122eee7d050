#ifndef __TW_PTY_H
#define __TW_PTY_H
#include <sys/ioctl.h>
#include <termios.h>
int openpty(int *, int *, char *, const struct termios *, const struct winsize *);
int forkpty(int *, char *, const struct termios *, const struct winsize *);
#endif
