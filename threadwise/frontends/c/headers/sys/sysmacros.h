#ifndef __TW_SYS_SYSMACROS_H
#define __TW_SYS_SYSMACROS_H
#include <sys/types.h>
unsigned int gnu_dev_major(dev_t);
unsigned int gnu_dev_minor(dev_t);
dev_t gnu_dev_makedev(unsigned int, unsigned int);
#define major(device) gnu_dev_major(device)
#define minor(device) gnu_dev_minor(device)
#define makedev(one, other) gnu_dev_makedev(one, other)
#endif
