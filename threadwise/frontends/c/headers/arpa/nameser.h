#ifndef __TW_ARPA_NAMESER_H
#define __TW_ARPA_NAMESER_H
#include <stddef.h>
#include <stdint.h>
typedef enum __ns_sect ns_sect;
typedef struct __ns_msg ns_msg;
typedef struct __ns_rr ns_rr;
typedef enum __ns_flag ns_flag;
typedef enum __ns_opcode ns_opcode;
typedef enum __ns_rcode ns_rcode;
typedef enum __ns_update_operation ns_update_operation;
typedef struct ns_tsig_key {
    char name[1025];
    char alg[1025];
    unsigned char *data;
    int len;
} ns_tsig_key;
typedef struct ns_tcp_tsig_state {
    int counter;
    struct dst_key *key;
    void *ctx;
    unsigned char sig[512];
    int siglen;
} ns_tcp_tsig_state;
typedef enum __ns_type ns_type;
typedef enum __ns_class ns_class;
typedef enum __ns_cert_types ns_cert_types;
#define NS_PACKETSZ 512
#define NS_MAXDNAME 1025
#define NS_MAXMSG 65535
#define NS_MAXCDNAME 255
#define NS_MAXLABEL 63
#define NS_HFIXEDSZ 12
#define NS_QFIXEDSZ 4
#define NS_RRFIXEDSZ 10
#define NS_INT32SZ 4
#define NS_INT16SZ 2
#define NS_INT8SZ 1
#define NS_INADDRSZ 4
#define NS_IN6ADDRSZ 16
#define NS_CMPRSFLGS 0xc0
#define NS_DEFAULTPORT 53
#define NS_TSIG_FUDGE 300
#define NS_TSIG_TCP_COUNT 100
#define NS_TSIG_ALG_HMAC_MD5 "HMAC-MD5.SIG-ALG.REG.INT"
#define NS_TSIG_ERROR_NO_TSIG (-10)
#define NS_TSIG_ERROR_NO_SPACE (-11)
#define NS_TSIG_ERROR_FORMERR (-12)
#define NS_OPT_DNSSEC_OK 0x8000U
#define NS_OPT_NSID 3
#define ns_s_qd 0
#define ns_s_zn 0
#define ns_s_an 1
#define ns_s_pr 1
#define ns_s_ns 2
#define ns_s_ud 2
#define ns_s_ar 3
#define ns_s_max 4
#define ns_f_qr 0
#define ns_f_opcode 1
#define ns_f_aa 2
#define ns_f_tc 3
#define ns_f_rd 4
#define ns_f_ra 5
#define ns_f_z 6
#define ns_f_ad 7
#define ns_f_cd 8
#define ns_f_rcode 9
#define ns_f_max 10
#define ns_o_query 0
#define ns_o_iquery 1
#define ns_o_status 2
#define ns_o_notify 4
#define ns_o_update 5
#define ns_o_max 6
#define ns_r_noerror 0
#define ns_r_formerr 1
#define ns_r_servfail 2
#define ns_r_nxdomain 3
#define ns_r_notimpl 4
#define ns_r_refused 5
#define ns_r_yxdomain 6
#define ns_r_yxrrset 7
#define ns_r_nxrrset 8
#define ns_r_notauth 9
#define ns_r_notzone 10
#define ns_r_max 11
#define ns_r_badvers 16
#define ns_r_badsig 16
#define ns_r_badkey 17
#define ns_r_badtime 18
#define ns_uop_delete 0
#define ns_uop_add 1
#define ns_uop_max 2
#define ns_t_invalid 0
#define ns_t_a 1
#define ns_t_ns 2
#define ns_t_md 3
#define ns_t_mf 4
#define ns_t_cname 5
#define ns_t_soa 6
#define ns_t_mb 7
#define ns_t_mg 8
#define ns_t_mr 9
#define ns_t_null 10
#define ns_t_wks 11
#define ns_t_ptr 12
#define ns_t_hinfo 13
#define ns_t_minfo 14
#define ns_t_mx 15
#define ns_t_txt 16
#define ns_t_rp 17
#define ns_t_afsdb 18
#define ns_t_x25 19
#define ns_t_isdn 20
#define ns_t_rt 21
#define ns_t_nsap 22
#define ns_t_nsap_ptr 23
#define ns_t_sig 24
#define ns_t_key 25
#define ns_t_px 26
#define ns_t_gpos 27
#define ns_t_aaaa 28
#define ns_t_loc 29
#define ns_t_nxt 30
#define ns_t_eid 31
#define ns_t_nimloc 32
#define ns_t_srv 33
#define ns_t_atma 34
#define ns_t_naptr 35
#define ns_t_kx 36
#define ns_t_cert 37
#define ns_t_a6 38
#define ns_t_dname 39
#define ns_t_sink 40
#define ns_t_opt 41
#define ns_t_apl 42
#define ns_t_ds 43
#define ns_t_sshfp 44
#define ns_t_ipseckey 45
#define ns_t_rrsig 46
#define ns_t_nsec 47
#define ns_t_dnskey 48
#define ns_t_dhcid 49
#define ns_t_nsec3 50
#define ns_t_nsec3param 51
#define ns_t_tlsa 52
#define ns_t_smimea 53
#define ns_t_hip 55
#define ns_t_ninfo 56
#define ns_t_rkey 57
#define ns_t_talink 58
#define ns_t_cds 59
#define ns_t_cdnskey 60
#define ns_t_openpgpkey 61
#define ns_t_csync 62
#define ns_t_spf 99
#define ns_t_uinfo 100
#define ns_t_uid 101
#define ns_t_gid 102
#define ns_t_unspec 103
#define ns_t_nid 104
#define ns_t_l32 105
#define ns_t_l64 106
#define ns_t_lp 107
#define ns_t_eui48 108
#define ns_t_eui64 109
#define ns_t_tkey 249
#define ns_t_tsig 250
#define ns_t_ixfr 251
#define ns_t_axfr 252
#define ns_t_mailb 253
#define ns_t_maila 254
#define ns_t_any 255
#define ns_t_uri 256
#define ns_t_caa 257
#define ns_t_avc 258
#define ns_t_ta 32768
#define ns_t_dlv 32769
#define ns_t_max 65536
#define ns_c_invalid 0
#define ns_c_in 1
#define ns_c_2 2
#define ns_c_chaos 3
#define ns_c_hs 4
#define ns_c_none 254
#define ns_c_any 255
#define ns_c_max 65536
#define cert_t_pkix 1
#define cert_t_spki 2
#define cert_t_pgp 3
#define cert_t_url 253
#define cert_t_oid 254
int ns_msg_getflag(ns_msg, int);
unsigned int ns_get16(const unsigned char *);
unsigned long ns_get32(const unsigned char *);
void ns_put16(unsigned int, unsigned char *);
void ns_put32(unsigned long, unsigned char *);
int ns_initparse(const unsigned char *, int, ns_msg *);
int ns_skiprr(const unsigned char *, const unsigned char *, ns_sect, int);
int ns_parserr(ns_msg *, ns_sect, int, ns_rr *);
int ns_sprintrr(const ns_msg *, const ns_rr *, const char *, const char *, char *, size_t);
int ns_sprintrrf(const unsigned char *, size_t, const char *, ns_class, ns_type, unsigned long,
    const unsigned char *, size_t, const char *, const char *, char *, size_t);
int ns_format_ttl(unsigned long, char *, size_t);
int ns_parse_ttl(const char *, unsigned long *);
uint32_t ns_datetosecs(const char *, int *);
int ns_name_ntol(const unsigned char *, unsigned char *, size_t);
int ns_name_ntop(const unsigned char *, char *, size_t);
int ns_name_pton(const char *, unsigned char *, size_t);
int ns_name_unpack(const unsigned char *, const unsigned char *, const unsigned char *,
    unsigned char *, size_t);
int ns_name_pack(const unsigned char *, unsigned char *, int, const unsigned char **,
    const unsigned char **);
int ns_name_uncompress(const unsigned char *, const unsigned char *, const unsigned char *,
    char *, size_t);
int ns_name_compress(const char *, unsigned char *, size_t, const unsigned char **,
    const unsigned char **);
int ns_name_skip(const unsigned char **, const unsigned char *);
void ns_name_rollback(const unsigned char *, const unsigned char **, const unsigned char **);
int ns_samedomain(const char *, const char *);
int ns_subdomain(const char *, const char *);
int ns_makecanon(const char *, char *, size_t);
int ns_samename(const char *, const char *);
#define NS_GET16(number, at) \
    do { \
        (number) = (uint16_t)((at)[0] << 8 | (at)[1]); \
        (at) += 2; \
    } while (0)
#define NS_GET32(number, at) \
    do { \
        (number) = (uint32_t)(at)[0] << 24 | (at)[1] << 16 | (at)[2] << 8 | (at)[3]; \
        (at) += 4; \
    } while (0)
#define ns_msg_id(message) ((message)._id + 0)
#define ns_msg_base(message) ((message)._msg + 0)
#define ns_msg_end(message) ((message)._eom + 0)
#define ns_msg_size(message) ((message)._eom - (message)._msg)
#define ns_msg_count(message, section) ((message)._counts[section] + 0)
#define ns_rr_name(record) ((record).name)
#define ns_rr_type(record) ((ns_type)((record).type + 0))
#define ns_rr_class(record) ((ns_class)((record).rr_class + 0))
#define ns_rr_ttl(record) ((record).ttl + 0)
#define ns_rr_rdlen(record) ((record).rdlength + 0)
#define ns_rr_rdata(record) ((record).rdata + 0)
#endif
