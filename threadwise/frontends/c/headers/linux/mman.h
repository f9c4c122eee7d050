#ifndef __TW_LINUX_MMAN_H
#define __TW_LINUX_MMAN_H
#include <sys/mman.h>
#endif
