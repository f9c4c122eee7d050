#ifndef __TW_LINUX_UNISTD_H
#define __TW_LINUX_UNISTD_H
#include <sys/syscall.h>
#endif
