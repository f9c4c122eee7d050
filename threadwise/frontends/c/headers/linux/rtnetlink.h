#ifndef __TW_LINUX_RTNETLINK_H
#define __TW_LINUX_RTNETLINK_H
#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <linux/netlink.h>
#include <linux/types.h>
struct rtattr { unsigned short rta_len; unsigned short rta_type; };
struct rtmsg {
    unsigned char rtm_family;
    unsigned char rtm_dst_len;
    unsigned char rtm_src_len;
    unsigned char rtm_tos;
    unsigned char rtm_table;
    unsigned char rtm_protocol;
    unsigned char rtm_scope;
    unsigned char rtm_type;
    unsigned int rtm_flags;
};
enum rt_scope_t {
    RT_SCOPE_UNIVERSE, RT_SCOPE_SITE = 200, RT_SCOPE_LINK = 253, RT_SCOPE_HOST,
    RT_SCOPE_NOWHERE
};
enum rt_class_t {
    RT_TABLE_UNSPEC, RT_TABLE_COMPAT = 252, RT_TABLE_DEFAULT, RT_TABLE_MAIN,
    RT_TABLE_LOCAL, RT_TABLE_MAX = 4294967295
};
enum rtattr_type_t {
    RTA_UNSPEC, RTA_DST, RTA_SRC, RTA_IIF, RTA_OIF, RTA_GATEWAY, RTA_PRIORITY, RTA_PREFSRC,
    RTA_METRICS, RTA_MULTIPATH, RTA_PROTOINFO, RTA_FLOW, RTA_CACHEINFO, RTA_SESSION,
    RTA_MP_ALGO, RTA_TABLE, RTA_MARK, RTA_MFC_STATS, RTA_VIA, RTA_NEWDST, RTA_PREF,
    RTA_ENCAP_TYPE, RTA_ENCAP, RTA_EXPIRES, RTA_PAD, RTA_UID, RTA_TTL_PROPAGATE,
    RTA_IP_PROTO, RTA_SPORT, RTA_DPORT, RTA_NH_ID
};
struct rtnexthop {
    unsigned short rtnh_len;
    unsigned char rtnh_flags;
    unsigned char rtnh_hops;
    int rtnh_ifindex;
};
struct rtvia { unsigned short rtvia_family; __u8 rtvia_addr[]; };
struct rta_cacheinfo {
    __u32 rta_clntref;
    __u32 rta_lastuse;
    __s32 rta_expires;
    __u32 rta_error;
    __u32 rta_used;
    __u32 rta_id;
    __u32 rta_ts;
    __u32 rta_tsage;
};
struct rta_session {
    __u8 proto;
    __u8 pad1;
    __u16 pad2;
    union {
        struct {
            __u16 sport;
            __u16 dport;
        } ports;
        struct {
            __u8 type;
            __u8 code;
            __u16 ident;
        } icmpt;
        __u32 spi;
    } u;
};
struct rta_mfc_stats { __u64 mfcs_packets; __u64 mfcs_bytes; __u64 mfcs_wrong_if; };
struct rtgenmsg { unsigned char rtgen_family; };
struct ifinfomsg {
    unsigned char ifi_family;
    unsigned char __ifi_pad;
    unsigned short ifi_type;
    int ifi_index;
    unsigned int ifi_flags;
    unsigned int ifi_change;
};
struct prefixmsg {
    unsigned char prefix_family;
    unsigned char prefix_pad1;
    unsigned short prefix_pad2;
    int prefix_ifindex;
    unsigned char prefix_type;
    unsigned char prefix_len;
    unsigned char prefix_flags;
    unsigned char prefix_pad3;
};
struct prefix_cacheinfo { __u32 preferred_time; __u32 valid_time; };
struct tcmsg {
    unsigned char tcm_family;
    unsigned char tcm__pad1;
    unsigned short tcm__pad2;
    int tcm_ifindex;
    __u32 tcm_handle;
    __u32 tcm_parent;
    __u32 tcm_info;
};
struct nduseroptmsg {
    unsigned char nduseropt_family;
    unsigned char nduseropt_pad1;
    unsigned short nduseropt_opts_len;
    int nduseropt_ifindex;
    __u8 nduseropt_icmp_type;
    __u8 nduseropt_icmp_code;
    unsigned short nduseropt_pad2;
    unsigned int nduseropt_pad3;
};
enum rtnetlink_groups {
    RTNLGRP_NONE, RTNLGRP_LINK, RTNLGRP_NOTIFY, RTNLGRP_NEIGH, RTNLGRP_TC,
    RTNLGRP_IPV4_IFADDR, RTNLGRP_IPV4_MROUTE, RTNLGRP_IPV4_ROUTE, RTNLGRP_IPV4_RULE,
    RTNLGRP_IPV6_IFADDR, RTNLGRP_IPV6_MROUTE, RTNLGRP_IPV6_ROUTE, RTNLGRP_IPV6_IFINFO,
    RTNLGRP_DECnet_IFADDR, RTNLGRP_NOP2, RTNLGRP_DECnet_ROUTE, RTNLGRP_DECnet_RULE,
    RTNLGRP_NOP4, RTNLGRP_IPV6_PREFIX, RTNLGRP_IPV6_RULE, RTNLGRP_ND_USEROPT,
    RTNLGRP_PHONET_IFADDR, RTNLGRP_PHONET_ROUTE, RTNLGRP_DCB, RTNLGRP_IPV4_NETCONF,
    RTNLGRP_IPV6_NETCONF, RTNLGRP_MDB, RTNLGRP_MPLS_ROUTE, RTNLGRP_NSID,
    RTNLGRP_MPLS_NETCONF, RTNLGRP_IPV4_MROUTE_R, RTNLGRP_IPV6_MROUTE_R, RTNLGRP_NEXTHOP,
    RTNLGRP_BRVLAN, RTNLGRP_MCTP_IFADDR, RTNLGRP_TUNNEL, RTNLGRP_STATS
};
struct tcamsg {
    unsigned char tca_family;
    unsigned char tca__pad1;
    unsigned short tca__pad2;
};
#define RTNL_FAMILY_IPMR 128
#define RTNL_FAMILY_IP6MR 129
#define RTNL_FAMILY_MAX 129
#define RTM_BASE 16
#define RTM_NEWLINK 16
#define RTM_DELLINK 17
#define RTM_GETLINK 18
#define RTM_SETLINK 19
#define RTM_NEWADDR 20
#define RTM_DELADDR 21
#define RTM_GETADDR 22
#define RTM_NEWROUTE 24
#define RTM_DELROUTE 25
#define RTM_GETROUTE 26
#define RTM_NEWNEIGH 28
#define RTM_DELNEIGH 29
#define RTM_GETNEIGH 30
#define RTM_NEWRULE 32
#define RTM_DELRULE 33
#define RTM_GETRULE 34
#define RTM_NEWQDISC 36
#define RTM_DELQDISC 37
#define RTM_GETQDISC 38
#define RTM_NEWTCLASS 40
#define RTM_DELTCLASS 41
#define RTM_GETTCLASS 42
#define RTM_NEWTFILTER 44
#define RTM_DELTFILTER 45
#define RTM_GETTFILTER 46
#define RTM_NEWACTION 48
#define RTM_DELACTION 49
#define RTM_GETACTION 50
#define RTM_NEWPREFIX 52
#define RTM_GETMULTICAST 58
#define RTM_GETANYCAST 62
#define RTM_NEWNEIGHTBL 64
#define RTM_GETNEIGHTBL 66
#define RTM_SETNEIGHTBL 67
#define RTM_NEWNDUSEROPT 68
#define RTM_NEWADDRLABEL 72
#define RTM_DELADDRLABEL 73
#define RTM_GETADDRLABEL 74
#define RTM_GETDCB 78
#define RTM_SETDCB 79
#define RTM_NEWNETCONF 80
#define RTM_DELNETCONF 81
#define RTM_GETNETCONF 82
#define RTM_NEWMDB 84
#define RTM_DELMDB 85
#define RTM_GETMDB 86
#define RTM_NEWNSID 88
#define RTM_DELNSID 89
#define RTM_GETNSID 90
#define RTM_NEWSTATS 92
#define RTM_GETSTATS 94
#define RTM_SETSTATS 95
#define RTM_NEWCACHEREPORT 96
#define RTM_NEWCHAIN 100
#define RTM_DELCHAIN 101
#define RTM_GETCHAIN 102
#define RTM_NEWNEXTHOP 104
#define RTM_DELNEXTHOP 105
#define RTM_GETNEXTHOP 106
#define RTM_NEWLINKPROP 108
#define RTM_DELLINKPROP 109
#define RTM_GETLINKPROP 110
#define RTM_NEWVLAN 112
#define RTM_DELVLAN 113
#define RTM_GETVLAN 114
#define RTM_NEWNEXTHOPBUCKET 116
#define RTM_DELNEXTHOPBUCKET 117
#define RTM_GETNEXTHOPBUCKET 118
#define RTM_NEWTUNNEL 120
#define RTM_DELTUNNEL 121
#define RTM_GETTUNNEL 122
#define RTM_MAX 123
#define RTM_NR_MSGTYPES 108
#define RTM_NR_FAMILIES 27
#define RTA_ALIGNTO 4U
#define RTN_MAX 11
#define RTPROT_UNSPEC 0
#define RTPROT_REDIRECT 1
#define RTPROT_KERNEL 2
#define RTPROT_BOOT 3
#define RTPROT_STATIC 4
#define RTPROT_GATED 8
#define RTPROT_RA 9
#define RTPROT_MRT 10
#define RTPROT_ZEBRA 11
#define RTPROT_BIRD 12
#define RTPROT_DNROUTED 13
#define RTPROT_XORP 14
#define RTPROT_NTK 15
#define RTPROT_DHCP 16
#define RTPROT_MROUTED 17
#define RTPROT_KEEPALIVED 18
#define RTPROT_BABEL 42
#define RTPROT_OPENR 99
#define RTPROT_BGP 186
#define RTPROT_ISIS 187
#define RTPROT_OSPF 188
#define RTPROT_RIP 189
#define RTPROT_EIGRP 192
#define RTM_F_NOTIFY 0x100
#define RTM_F_CLONED 0x200
#define RTM_F_EQUALIZE 0x400
#define RTM_F_PREFIX 0x800
#define RTM_F_LOOKUP_TABLE 0x1000
#define RTM_F_FIB_MATCH 0x2000
#define RTM_F_OFFLOAD 0x4000
#define RTM_F_TRAP 0x8000
#define RTM_F_OFFLOAD_FAILED 0x20000000
#define RTA_MAX 30
#define RTNH_F_DEAD 1
#define RTNH_F_PERVASIVE 2
#define RTNH_F_ONLINK 4
#define RTNH_F_OFFLOAD 8
#define RTNH_F_LINKDOWN 16
#define RTNH_F_UNRESOLVED 32
#define RTNH_F_TRAP 64
#define RTNH_COMPARE_MASK 89
#define RTNH_ALIGNTO 4
#define RTNETLINK_HAVE_PEERINFO 1
#define RTAX_UNSPEC 0
#define RTAX_LOCK 1
#define RTAX_MTU 2
#define RTAX_WINDOW 3
#define RTAX_RTT 4
#define RTAX_RTTVAR 5
#define RTAX_SSTHRESH 6
#define RTAX_CWND 7
#define RTAX_ADVMSS 8
#define RTAX_REORDERING 9
#define RTAX_HOPLIMIT 10
#define RTAX_INITCWND 11
#define RTAX_FEATURES 12
#define RTAX_RTO_MIN 13
#define RTAX_INITRWND 14
#define RTAX_QUICKACK 15
#define RTAX_CC_ALGO 16
#define RTAX_FASTOPEN_NO_COOKIE 17
#define RTAX_MAX 17
#define RTAX_FEATURE_ECN 1
#define RTAX_FEATURE_SACK 2
#define RTAX_FEATURE_TIMESTAMP 4
#define RTAX_FEATURE_ALLFRAG 8
#define RTAX_FEATURE_MASK 15
#define PREFIX_MAX 2
#define TCM_IFINDEX_MAGIC_BLOCK 0xffffffffU
#define TCA_MAX 16
#define TCA_DUMP_FLAGS_TERSE 1
#define NDUSEROPT_MAX 1
#define RTMGRP_LINK 1
#define RTMGRP_NOTIFY 2
#define RTMGRP_NEIGH 4
#define RTMGRP_TC 8
#define RTMGRP_IPV4_IFADDR 0x10
#define RTMGRP_IPV4_MROUTE 0x20
#define RTMGRP_IPV4_ROUTE 0x40
#define RTMGRP_IPV4_RULE 0x80
#define RTMGRP_IPV6_IFADDR 0x100
#define RTMGRP_IPV6_MROUTE 0x200
#define RTMGRP_IPV6_ROUTE 0x400
#define RTMGRP_IPV6_IFINFO 0x800
#define RTMGRP_DECnet_IFADDR 0x1000
#define RTMGRP_DECnet_ROUTE 0x4000
#define RTMGRP_IPV6_PREFIX 0x20000
#define RTNLGRP_MAX 36
#define TCA_ACT_TAB 1
#define TCAA_MAX 1
#define TCA_ROOT_MAX 5
#define TCA_FLAG_LARGE_DUMP_ON 1
#define TCA_ACT_FLAG_LARGE_DUMP_ON 1
#define TCA_ACT_FLAG_TERSE_DUMP 2
#define RTEXT_FILTER_VF 1
#define RTEXT_FILTER_BRVLAN 2
#define RTEXT_FILTER_BRVLAN_COMPRESSED 4
#define RTEXT_FILTER_SKIP_STATS 8
#define RTEXT_FILTER_MRP 16
#define RTEXT_FILTER_CFM_CONFIG 32
#define RTEXT_FILTER_CFM_STATUS 64
#define RTEXT_FILTER_MST 128
#define RTN_UNSPEC 0
#define RTN_UNICAST 1
#define RTN_LOCAL 2
#define RTN_BROADCAST 3
#define RTN_ANYCAST 4
#define RTN_MULTICAST 5
#define RTN_BLACKHOLE 6
#define RTN_UNREACHABLE 7
#define RTN_PROHIBIT 8
#define RTN_THROW 9
#define RTN_NAT 10
#define RTN_XRESOLVE 11
#define PREFIX_UNSPEC 0
#define PREFIX_ADDRESS 1
#define PREFIX_CACHEINFO 2
#define TCA_UNSPEC 0
#define TCA_KIND 1
#define TCA_OPTIONS 2
#define TCA_STATS 3
#define TCA_XSTATS 4
#define TCA_RATE 5
#define TCA_FCNT 6
#define TCA_STATS2 7
#define TCA_STAB 8
#define TCA_PAD 9
#define TCA_DUMP_INVISIBLE 10
#define TCA_CHAIN 11
#define TCA_HW_OFFLOAD 12
#define TCA_INGRESS_BLOCK 13
#define TCA_EGRESS_BLOCK 14
#define TCA_DUMP_FLAGS 15
#define TCA_EXT_WARN_MSG 16
#define NDUSEROPT_UNSPEC 0
#define NDUSEROPT_SRCADDR 1
#define TCA_ROOT_UNSPEC 0
#define TCA_ROOT_TAB 1
#define TCA_ROOT_FLAGS 2
#define TCA_ROOT_COUNT 3
#define TCA_ROOT_TIME_DELTA 4
#define TCA_ROOT_EXT_WARN_MSG 5
#define tcm_block_index tcm_parent
#define RTA_ALIGN(size) (((size) + RTA_ALIGNTO - 1) & ~(RTA_ALIGNTO - 1))
#define RTA_LENGTH(size) (RTA_ALIGN(sizeof(struct rtattr)) + (size))
#define RTA_SPACE(size) RTA_ALIGN(RTA_LENGTH(size))
#define RTA_DATA(attribute) ((void *)((char *)(attribute) + RTA_LENGTH(0)))
#define RTA_PAYLOAD(attribute) ((int)(attribute)->rta_len - (int)RTA_LENGTH(0))
#define RTA_OK(attribute, left) \
    ((left) >= (int)sizeof(struct rtattr) && (attribute)->rta_len >= sizeof(struct rtattr) \
     && (attribute)->rta_len <= (left))
#define RTA_NEXT(attribute, left) \
    ((left) -= RTA_ALIGN((attribute)->rta_len), \
     (struct rtattr *)((char *)(attribute) + RTA_ALIGN((attribute)->rta_len)))
#define RTM_RTA(message) \
    ((struct rtattr *)((char *)(message) + NLMSG_ALIGN(sizeof(struct rtmsg))))
#define RTM_PAYLOAD(header) NLMSG_PAYLOAD(header, sizeof(struct rtmsg))
#define IFA_RTA(message) \
    ((struct rtattr *)((char *)(message) + NLMSG_ALIGN(sizeof(struct ifaddrmsg))))
#define IFA_PAYLOAD(header) NLMSG_PAYLOAD(header, sizeof(struct ifaddrmsg))
#define IFLA_RTA(message) \
    ((struct rtattr *)((char *)(message) + NLMSG_ALIGN(sizeof(struct ifinfomsg))))
#define IFLA_PAYLOAD(header) NLMSG_PAYLOAD(header, sizeof(struct ifinfomsg))
#endif
