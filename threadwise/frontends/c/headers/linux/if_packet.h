#ifndef __TW_LINUX_IF_PACKET_H
#define __TW_LINUX_IF_PACKET_H
#include <linux/types.h>
struct sockaddr_pkt {
    unsigned short spkt_family;
    unsigned char spkt_device[14];
    __be16 spkt_protocol;
};
struct tpacket_stats { unsigned int tp_packets; unsigned int tp_drops; };
struct tpacket_stats_v3 {
    unsigned int tp_packets;
    unsigned int tp_drops;
    unsigned int tp_freeze_q_cnt;
};
struct tpacket_rollover_stats { __u64 tp_all; __u64 tp_huge; __u64 tp_failed; };
union tpacket_stats_u { struct tpacket_stats stats1; struct tpacket_stats_v3 stats3; };
struct tpacket_auxdata {
    __u32 tp_status;
    __u32 tp_len;
    __u32 tp_snaplen;
    __u16 tp_mac;
    __u16 tp_net;
    __u16 tp_vlan_tci;
    __u16 tp_vlan_tpid;
};
struct tpacket_hdr {
    unsigned long tp_status;
    unsigned int tp_len;
    unsigned int tp_snaplen;
    unsigned short tp_mac;
    unsigned short tp_net;
    unsigned int tp_sec;
    unsigned int tp_usec;
};
struct tpacket2_hdr {
    __u32 tp_status;
    __u32 tp_len;
    __u32 tp_snaplen;
    __u16 tp_mac;
    __u16 tp_net;
    __u32 tp_sec;
    __u32 tp_nsec;
    __u16 tp_vlan_tci;
    __u16 tp_vlan_tpid;
    __u8 tp_padding[4];
};
struct tpacket_hdr_variant1 {
    __u32 tp_rxhash;
    __u32 tp_vlan_tci;
    __u16 tp_vlan_tpid;
    __u16 tp_padding;
};
struct tpacket3_hdr {
    __u32 tp_next_offset;
    __u32 tp_sec;
    __u32 tp_nsec;
    __u32 tp_snaplen;
    __u32 tp_len;
    __u32 tp_status;
    __u16 tp_mac;
    __u16 tp_net;
    union {
        struct tpacket_hdr_variant1 hv1;
    };
    __u8 tp_padding[8];
};
struct tpacket_bd_ts {
    unsigned int ts_sec;
    union {
        unsigned int ts_usec;
        unsigned int ts_nsec;
    };
};
struct tpacket_hdr_v1 {
    __u32 block_status;
    __u32 num_pkts;
    __u32 offset_to_first_pkt;
    __u32 blk_len;
    __u64 seq_num;
    struct tpacket_bd_ts ts_first_pkt;
    struct tpacket_bd_ts ts_last_pkt;
};
union tpacket_bd_header_u { struct tpacket_hdr_v1 bh1; };
struct tpacket_block_desc {
    __u32 version;
    __u32 offset_to_priv;
    union tpacket_bd_header_u hdr;
};
enum tpacket_versions { TPACKET_V1, TPACKET_V2, TPACKET_V3 };
struct tpacket_req {
    unsigned int tp_block_size;
    unsigned int tp_block_nr;
    unsigned int tp_frame_size;
    unsigned int tp_frame_nr;
};
struct tpacket_req3 {
    unsigned int tp_block_size;
    unsigned int tp_block_nr;
    unsigned int tp_frame_size;
    unsigned int tp_frame_nr;
    unsigned int tp_retire_blk_tov;
    unsigned int tp_sizeof_priv;
    unsigned int tp_feature_req_word;
};
union tpacket_req_u { struct tpacket_req req; struct tpacket_req3 req3; };
struct fanout_args { __u16 id; __u16 type_flags; __u32 max_num_members; };
#define PACKET_USER 6
#define PACKET_KERNEL 7
#define PACKET_FANOUT_HASH 0
#define PACKET_FANOUT_LB 1
#define PACKET_FANOUT_CPU 2
#define PACKET_FANOUT_ROLLOVER 3
#define PACKET_FANOUT_RND 4
#define PACKET_FANOUT_QM 5
#define PACKET_FANOUT_CBPF 6
#define PACKET_FANOUT_EBPF 7
#define PACKET_FANOUT_FLAG_ROLLOVER 0x1000
#define PACKET_FANOUT_FLAG_UNIQUEID 0x2000
#define PACKET_FANOUT_FLAG_DEFRAG 0x8000
#define TP_STATUS_KERNEL 0
#define TP_STATUS_USER 1
#define TP_STATUS_COPY 2
#define TP_STATUS_LOSING 4
#define TP_STATUS_CSUMNOTREADY 8
#define TP_STATUS_VLAN_VALID 16
#define TP_STATUS_BLK_TMO 32
#define TP_STATUS_VLAN_TPID_VALID 64
#define TP_STATUS_CSUM_VALID 128
#define TP_STATUS_AVAILABLE 0
#define TP_STATUS_SEND_REQUEST 1
#define TP_STATUS_SENDING 2
#define TP_STATUS_WRONG_FORMAT 4
#define TP_STATUS_TS_SOFTWARE 536870912
#define TP_STATUS_TS_SYS_HARDWARE 1073741824
#define TP_STATUS_TS_RAW_HARDWARE 2147483648U
#define TP_FT_REQ_FILL_RXHASH 0x1
#define TPACKET_ALIGNMENT 16
#define TPACKET_HDRLEN 52UL
#define TPACKET2_HDRLEN 52UL
#define TPACKET3_HDRLEN 68UL
#endif
