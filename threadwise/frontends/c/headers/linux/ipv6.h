#ifndef __TW_LINUX_IPV6_H
#define __TW_LINUX_IPV6_H
#include <linux/types.h>
#include <netinet/in.h>
struct in6_ifreq { struct in6_addr ifr6_addr; __u32 ifr6_prefixlen; int ifr6_ifindex; };
struct ipv6_rt_hdr { __u8 nexthdr; __u8 hdrlen; __u8 type; __u8 segments_left; };
struct ipv6_opt_hdr { __u8 nexthdr; __u8 hdrlen; };
struct rt0_hdr { struct ipv6_rt_hdr rt_hdr; __u32 reserved; struct in6_addr addr[0]; };
struct rt2_hdr { struct ipv6_rt_hdr rt_hdr; __u32 reserved; struct in6_addr addr; };
struct ipv6hdr {
    __u8 priority : 4;
    __u8 version : 4;
    __u8 flow_lbl[3];
    __be16 payload_len;
    __u8 nexthdr;
    __u8 hop_limit;
    union {
        struct {
            struct in6_addr saddr;
            struct in6_addr daddr;
        };
        struct {
            struct in6_addr saddr;
            struct in6_addr daddr;
        } addrs;
    };
};
#define IPV6_MIN_MTU 1280
#define IPV6_SRCRT_STRICT 0x1
#define IPV6_SRCRT_TYPE_0 0
#define IPV6_SRCRT_TYPE_2 2
#define IPV6_SRCRT_TYPE_3 3
#define IPV6_SRCRT_TYPE_4 4
#define IPV6_OPT_ROUTERALERT_MLD 0x0
#define DEVCONF_FORWARDING 0
#define DEVCONF_HOPLIMIT 1
#define DEVCONF_MTU6 2
#define DEVCONF_ACCEPT_RA 3
#define DEVCONF_ACCEPT_REDIRECTS 4
#define DEVCONF_AUTOCONF 5
#define DEVCONF_DAD_TRANSMITS 6
#define DEVCONF_RTR_SOLICITS 7
#define DEVCONF_RTR_SOLICIT_INTERVAL 8
#define DEVCONF_RTR_SOLICIT_DELAY 9
#define DEVCONF_USE_TEMPADDR 10
#define DEVCONF_TEMP_VALID_LFT 11
#define DEVCONF_TEMP_PREFERED_LFT 12
#define DEVCONF_REGEN_MAX_RETRY 13
#define DEVCONF_MAX_DESYNC_FACTOR 14
#define DEVCONF_MAX_ADDRESSES 15
#define DEVCONF_FORCE_MLD_VERSION 16
#define DEVCONF_ACCEPT_RA_DEFRTR 17
#define DEVCONF_ACCEPT_RA_PINFO 18
#define DEVCONF_ACCEPT_RA_RTR_PREF 19
#define DEVCONF_RTR_PROBE_INTERVAL 20
#define DEVCONF_ACCEPT_RA_RT_INFO_MAX_PLEN 21
#define DEVCONF_PROXY_NDP 22
#define DEVCONF_OPTIMISTIC_DAD 23
#define DEVCONF_ACCEPT_SOURCE_ROUTE 24
#define DEVCONF_MC_FORWARDING 25
#define DEVCONF_DISABLE_IPV6 26
#define DEVCONF_ACCEPT_DAD 27
#define DEVCONF_FORCE_TLLAO 28
#define DEVCONF_NDISC_NOTIFY 29
#define DEVCONF_MLDV1_UNSOLICITED_REPORT_INTERVAL 30
#define DEVCONF_MLDV2_UNSOLICITED_REPORT_INTERVAL 31
#define DEVCONF_SUPPRESS_FRAG_NDISC 32
#define DEVCONF_ACCEPT_RA_FROM_LOCAL 33
#define DEVCONF_USE_OPTIMISTIC 34
#define DEVCONF_ACCEPT_RA_MTU 35
#define DEVCONF_STABLE_SECRET 36
#define DEVCONF_USE_OIF_ADDRS_ONLY 37
#define DEVCONF_ACCEPT_RA_MIN_HOP_LIMIT 38
#define DEVCONF_IGNORE_ROUTES_WITH_LINKDOWN 39
#define DEVCONF_DROP_UNICAST_IN_L2_MULTICAST 40
#define DEVCONF_DROP_UNSOLICITED_NA 41
#define DEVCONF_KEEP_ADDR_ON_DOWN 42
#define DEVCONF_RTR_SOLICIT_MAX_INTERVAL 43
#define DEVCONF_SEG6_ENABLED 44
#define DEVCONF_SEG6_REQUIRE_HMAC 45
#define DEVCONF_ENHANCED_DAD 46
#define DEVCONF_ADDR_GEN_MODE 47
#define DEVCONF_DISABLE_POLICY 48
#define DEVCONF_ACCEPT_RA_RT_INFO_MIN_PLEN 49
#define DEVCONF_NDISC_TCLASS 50
#define DEVCONF_RPL_SEG_ENABLED 51
#define DEVCONF_RA_DEFRTR_METRIC 52
#define DEVCONF_IOAM6_ENABLED 53
#define DEVCONF_IOAM6_ID 54
#define DEVCONF_IOAM6_ID_WIDE 55
#define DEVCONF_NDISC_EVICT_NOCARRIER 56
#define DEVCONF_ACCEPT_UNTRACKED_NA 57
#define DEVCONF_ACCEPT_RA_MIN_LFT 58
#define DEVCONF_MAX 59
#define ipv6_destopt_hdr ipv6_opt_hdr
#define ipv6_hopopt_hdr ipv6_opt_hdr
#define rt0_type rt_hdr.type
#define rt2_type rt_hdr.type
#endif
