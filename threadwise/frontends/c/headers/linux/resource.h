#ifndef __TW_LINUX_RESOURCE_H
#define __TW_LINUX_RESOURCE_H
#include <sys/resource.h>
#endif
