#ifndef __TW_SYS_UNISTD_H
#define __TW_SYS_UNISTD_H
#include <unistd.h>
#endif
