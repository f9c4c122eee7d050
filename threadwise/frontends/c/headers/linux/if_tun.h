#ifndef __TW_LINUX_IF_TUN_H
#define __TW_LINUX_IF_TUN_H
#include <linux/types.h>
struct tun_pi { __u16 flags; __be16 proto; };
struct tun_filter { __u16 flags; __u16 count; __u8 addr[][6]; };
#define TUN_READQ_SIZE 500
#define TUN_TUN_DEV 1
#define TUN_TAP_DEV 2
#define TUN_TYPE_MASK 0xf
#define IFF_TUN 0x1
#define IFF_TAP 0x2
#define IFF_NAPI 0x10
#define IFF_NAPI_FRAGS 0x20
#define IFF_NO_CARRIER 0x40
#define IFF_NO_PI 0x1000
#define IFF_ONE_QUEUE 0x2000
#define IFF_VNET_HDR 0x4000
#define IFF_TUN_EXCL 0x8000
#define IFF_MULTI_QUEUE 0x100
#define IFF_ATTACH_QUEUE 0x200
#define IFF_DETACH_QUEUE 0x400
#define IFF_PERSIST 0x800
#define IFF_NOFILTER 0x1000
#define TUN_TX_TIMESTAMP 1
#define TUN_F_CSUM 0x1
#define TUN_F_TSO4 0x2
#define TUN_F_TSO6 0x4
#define TUN_F_TSO_ECN 0x8
#define TUN_F_UFO 0x10
#define TUN_PKT_STRIP 0x1
#define TUN_FLT_ALLMULTI 0x1
#endif
