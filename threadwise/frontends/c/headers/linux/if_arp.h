#ifndef __TW_LINUX_IF_ARP_H
#define __TW_LINUX_IF_ARP_H
#include <net/if_arp.h>
#endif
