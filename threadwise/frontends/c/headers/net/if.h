#ifndef __TW_NET_IF_H
#define __TW_NET_IF_H
#include <sys/socket.h>
#define IFNAMSIZ 16
unsigned int if_nametoindex(const char *name);
#endif
