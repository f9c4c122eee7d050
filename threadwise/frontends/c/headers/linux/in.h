#ifndef __TW_LINUX_IN_H
#define __TW_LINUX_IN_H
#include <netinet/in.h>
#endif
