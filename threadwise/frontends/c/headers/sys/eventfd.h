#ifndef __TW_SYS_EVENTFD_H
#define __TW_SYS_EVENTFD_H
#include <stdint.h>
int eventfd(unsigned int value, int flags);
#endif
