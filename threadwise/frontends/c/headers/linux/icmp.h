#ifndef __TW_LINUX_ICMP_H
#define __TW_LINUX_ICMP_H
#include <linux/types.h>
#include <netinet/in.h>
struct icmp_filter { __u32 data; };
struct icmp_ext_hdr {
    __u8 reserved1 : 4;
    __u8 version : 4;
    __u8 reserved2;
    __sum16 checksum;
};
struct icmp_extobj_hdr { __be16 length; __u8 class_num; __u8 class_type; };
struct icmp_ext_echo_ctype3_hdr { __be16 afi; __u8 addrlen; __u8 reserved; };
struct icmp_ext_echo_iio {
    struct icmp_extobj_hdr extobj_hdr;
    union {
        char name[16];
        __be32 ifindex;
        struct {
            struct icmp_ext_echo_ctype3_hdr ctype3_hdr;
            union {
                __be32 ipv4_addr;
                struct in6_addr ipv6_addr;
            } ip_addr;
        } addr;
    } ident;
};
#define ICMP_FILTER 1
#endif
