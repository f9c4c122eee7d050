#ifndef __TW_LINUX_UDP_H
#define __TW_LINUX_UDP_H
#define UDP_ENCAP_RXRPC 6
#define TCP_ENCAP_ESPINTCP 7
#endif
