#ifndef __TW_NETINET_TCP_H
#define __TW_NETINET_TCP_H
#define TCP_NODELAY 1
#endif
