#ifndef __TW_NET_IF_PACKET_H
#define __TW_NET_IF_PACKET_H
#endif
