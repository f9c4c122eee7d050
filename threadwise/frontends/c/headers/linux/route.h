#ifndef __TW_LINUX_ROUTE_H
#define __TW_LINUX_ROUTE_H
#include <net/route.h>
#endif
