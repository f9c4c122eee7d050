#ifndef __TW_LINUX_IN6_H
#define __TW_LINUX_IN6_H
#include <netinet/in.h>
#endif
