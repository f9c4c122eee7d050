#ifndef __TW_SYS_IO_H
#define __TW_SYS_IO_H
int ioperm(unsigned long, unsigned long, int);
int iopl(int);
#endif
