#ifndef __TW_NETINET_IF_ETHER_H
#define __TW_NETINET_IF_ETHER_H
#include <linux/if_ether.h>
#include <net/ethernet.h>
#include <net/if_arp.h>
#include <stdint.h>
struct ether_arp {
    struct arphdr ea_hdr;
    uint8_t arp_sha[6];
    uint8_t arp_spa[4];
    uint8_t arp_tha[6];
    uint8_t arp_tpa[4];
};
#define arp_hrd ea_hdr.ar_hrd
#define arp_pro ea_hdr.ar_pro
#define arp_hln ea_hdr.ar_hln
#define arp_pln ea_hdr.ar_pln
#define arp_op ea_hdr.ar_op
#endif
