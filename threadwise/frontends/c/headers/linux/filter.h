#ifndef __TW_LINUX_FILTER_H
#define __TW_LINUX_FILTER_H
#include <linux/types.h>
struct sock_filter { __u16 code; __u8 jt; __u8 jf; __u32 k; };
struct sock_fprog { unsigned short len; struct sock_filter *filter; };
#define BPF_MAJOR_VERSION 1
#define BPF_MINOR_VERSION 1
#define BPF_A 0x10
#define BPF_TAX 0x0
#define BPF_TXA 0x80
#define BPF_MEMWORDS 16
#define SKF_AD_OFF (-4096)
#define SKF_AD_PROTOCOL 0
#define SKF_AD_PKTTYPE 4
#define SKF_AD_IFINDEX 8
#define SKF_AD_NLATTR 12
#define SKF_AD_NLATTR_NEST 16
#define SKF_AD_MARK 20
#define SKF_AD_QUEUE 24
#define SKF_AD_HATYPE 28
#define SKF_AD_RXHASH 32
#define SKF_AD_CPU 36
#define SKF_AD_ALU_XOR_X 40
#define SKF_AD_VLAN_TAG 44
#define SKF_AD_VLAN_TAG_PRESENT 48
#define SKF_AD_PAY_OFFSET 52
#define SKF_AD_RANDOM 56
#define SKF_AD_VLAN_TPID 60
#define SKF_AD_MAX 64
#define SKF_NET_OFF (-1048576)
#define SKF_LL_OFF (-2097152)
#define BPF_NET_OFF (-1048576)
#define BPF_LL_OFF (-2097152)
#define BPF_STMT(code, k) { (unsigned short)(code), 0, 0, k }
#define BPF_JUMP(code, k, jt, jf) { (unsigned short)(code), jt, jf, k }
#endif
