#ifndef __TW_LINUX_UN_H
#define __TW_LINUX_UN_H
#include <sys/un.h>
#endif
