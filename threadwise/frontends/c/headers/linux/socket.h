#ifndef __TW_LINUX_SOCKET_H
#define __TW_LINUX_SOCKET_H
#include <sys/socket.h>
#endif
