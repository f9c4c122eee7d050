#ifndef __TW_LINUX_IF_LINK_H
#define __TW_LINUX_IF_LINK_H
#include <linux/types.h>
struct rtnl_link_stats {
    __u32 rx_packets;
    __u32 tx_packets;
    __u32 rx_bytes;
    __u32 tx_bytes;
    __u32 rx_errors;
    __u32 tx_errors;
    __u32 rx_dropped;
    __u32 tx_dropped;
    __u32 multicast;
    __u32 collisions;
    __u32 rx_length_errors;
    __u32 rx_over_errors;
    __u32 rx_crc_errors;
    __u32 rx_frame_errors;
    __u32 rx_fifo_errors;
    __u32 rx_missed_errors;
    __u32 tx_aborted_errors;
    __u32 tx_carrier_errors;
    __u32 tx_fifo_errors;
    __u32 tx_heartbeat_errors;
    __u32 tx_window_errors;
    __u32 rx_compressed;
    __u32 tx_compressed;
    __u32 rx_nohandler;
};
struct rtnl_link_stats64 {
    __u64 rx_packets;
    __u64 tx_packets;
    __u64 rx_bytes;
    __u64 tx_bytes;
    __u64 rx_errors;
    __u64 tx_errors;
    __u64 rx_dropped;
    __u64 tx_dropped;
    __u64 multicast;
    __u64 collisions;
    __u64 rx_length_errors;
    __u64 rx_over_errors;
    __u64 rx_crc_errors;
    __u64 rx_frame_errors;
    __u64 rx_fifo_errors;
    __u64 rx_missed_errors;
    __u64 tx_aborted_errors;
    __u64 tx_carrier_errors;
    __u64 tx_fifo_errors;
    __u64 tx_heartbeat_errors;
    __u64 tx_window_errors;
    __u64 rx_compressed;
    __u64 tx_compressed;
    __u64 rx_nohandler;
    __u64 rx_otherhost_dropped;
};
struct rtnl_link_ifmap {
    __u64 mem_start;
    __u64 mem_end;
    __u64 base_addr;
    __u16 irq;
    __u8 dma;
    __u8 port;
};
enum in6_addr_gen_mode {
    IN6_ADDR_GEN_MODE_EUI64, IN6_ADDR_GEN_MODE_NONE, IN6_ADDR_GEN_MODE_STABLE_PRIVACY,
    IN6_ADDR_GEN_MODE_RANDOM
};
enum macvlan_mode {
    MACVLAN_MODE_PRIVATE = 1, MACVLAN_MODE_VEPA, MACVLAN_MODE_BRIDGE = 4,
    MACVLAN_MODE_PASSTHRU = 8, MACVLAN_MODE_SOURCE = 16
};
enum macvlan_macaddr_mode {
    MACVLAN_MACADDR_ADD, MACVLAN_MACADDR_DEL, MACVLAN_MACADDR_FLUSH, MACVLAN_MACADDR_SET
};
enum macsec_validation_type {
    MACSEC_VALIDATE_DISABLED, MACSEC_VALIDATE_CHECK, MACSEC_VALIDATE_STRICT,
    MACSEC_VALIDATE_MAX = 2
};
enum macsec_offload {
    MACSEC_OFFLOAD_OFF, MACSEC_OFFLOAD_PHY, MACSEC_OFFLOAD_MAC, MACSEC_OFFLOAD_MAX = 2
};
enum ipvlan_mode { IPVLAN_MODE_L2, IPVLAN_MODE_L3, IPVLAN_MODE_L3S, IPVLAN_MODE_MAX };
enum ifla_vxlan_df {
    VXLAN_DF_UNSET, VXLAN_DF_SET, VXLAN_DF_INHERIT, VXLAN_DF_MAX = 2
};
enum ifla_geneve_df {
    GENEVE_DF_UNSET, GENEVE_DF_SET, GENEVE_DF_INHERIT, GENEVE_DF_MAX = 2
};
enum ifla_gtp_role { GTP_ROLE_GGSN, GTP_ROLE_SGSN };
#define IFLA_COST 8
#define IFLA_PRIORITY 9
#define IFLA_MASTER 10
#define IFLA_WIRELESS 11
#define IFLA_PROTINFO 12
#define IFLA_TXQLEN 13
#define IFLA_MAP 14
#define IFLA_WEIGHT 15
#define IFLA_LINKINFO 18
#define IFLA_PROMISCUITY 30
#define IFLA_MAX 61
#define IFLA_UNSPEC 0
#define IFLA_ADDRESS 1
#define IFLA_BROADCAST 2
#define IFLA_IFNAME 3
#define IFLA_MTU 4
#define IFLA_LINK 5
#define IFLA_QDISC 6
#define IFLA_STATS 7
#define IFLA_OPERSTATE 16
#define IFLA_LINKMODE 17
#define IFLA_IFALIAS 20
#define IFLA_STATS64 23
#define IFLA_GROUP 27
#define IFLA_CARRIER 33
#define IFLA_PAD 42
#define IFLA_XDP 43
#define IFLA_EVENT 44
#define IFLA_ALLMULTI 61
#endif
