#ifndef __TW_LINUX_FCNTL_H
#define __TW_LINUX_FCNTL_H
#include <fcntl.h>
#endif
