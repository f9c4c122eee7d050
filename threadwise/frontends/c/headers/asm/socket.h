#ifndef __TW_ASM_SOCKET_H
#define __TW_ASM_SOCKET_H
#include <sys/socket.h>
#endif
