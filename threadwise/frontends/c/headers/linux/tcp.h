#ifndef __TW_LINUX_TCP_H
#define __TW_LINUX_TCP_H
#include <netinet/tcp.h>
#endif
