#ifndef __TW_SYS_FCNTL_H
#define __TW_SYS_FCNTL_H
#include <fcntl.h>
#endif
