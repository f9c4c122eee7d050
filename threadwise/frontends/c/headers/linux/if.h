#ifndef __TW_LINUX_IF_H
#define __TW_LINUX_IF_H
#include <net/if.h>
#endif
