#ifndef __TW_RESOLV_H
#define __TW_RESOLV_H
typedef struct __res_state *res_state;
struct res_sym { int number; char *name; char *humanname; };
#define MAXNS 3
#define MAXDFLSRCH 3
#define MAXDNSRCH 6
#define MAXRESOLVSORT 10
#define LOCALDOMAINPARTS 2
#define RES_TIMEOUT 5
#define RES_MAXNDOTS 15
#define RES_MAXRETRANS 30
#define RES_MAXRETRY 5
#define RES_DFLRETRY 2
#define RES_MAXTIME 65535
#define _PATH_RESCONF "/etc/resolv.conf"
#define RES_INIT 0x1
#define RES_DEBUG 0x2
#define RES_AAONLY 0x4
#define RES_USEVC 0x8
#define RES_PRIMARY 0x10
#define RES_IGNTC 0x20
#define RES_RECURSE 0x40
#define RES_DEFNAMES 0x80
#define RES_STAYOPEN 0x100
#define RES_DNSRCH 0x200
#define RES_NOALIASES 0x1000
#define RES_ROTATE 0x4000
#define RES_NOCHECKNAME 0x8000
#define RES_KEEPTSIG 0x10000
#define RES_BLAST 0x20000
#define RES_USE_EDNS0 0x100000
#define RES_SNGLKUP 0x200000
#define RES_SNGLKUPREOP 0x400000
#define RES_USE_DNSSEC 0x800000
#define RES_NOTLDQUERY 0x1000000
#define RES_NORELOAD 0x2000000
#define RES_TRUSTAD 0x4000000
#define RES_NOAAAA 0x8000000
#define RES_DEFAULT 704
#define RES_PRF_STATS 0x1
#define RES_PRF_UPDATE 0x2
#define RES_PRF_CLASS 0x4
#define RES_PRF_CMD 0x8
#define RES_PRF_QUES 0x10
#define RES_PRF_ANS 0x20
#define RES_PRF_AUTH 0x40
#define RES_PRF_ADD 0x80
#define RES_PRF_HEAD1 0x100
#define RES_PRF_HEAD2 0x200
#define RES_PRF_TTLID 0x400
#define RES_PRF_HEADX 0x800
#define RES_PRF_QUERY 0x1000
#define RES_PRF_REPLY 0x2000
#define RES_PRF_INIT 0x4000
#define nsaddr nsaddr_list[0]
int res_mkquery(int, const char *, int, int, const unsigned char *, int, const unsigned char *,
    unsigned char *, int);
int res_query(const char *, int, int, unsigned char *, int);
int res_querydomain(const char *, const char *, int, int, unsigned char *, int);
int res_search(const char *, int, int, unsigned char *, int);
int res_send(const unsigned char *, int, unsigned char *, int);
int res_hnok(const char *);
int res_ownok(const char *);
int res_mailok(const char *);
int res_dnok(const char *);
int dn_skipname(const unsigned char *, const unsigned char *);
int dn_comp(const char *, unsigned char *, int, unsigned char **, unsigned char **);
int dn_expand(const unsigned char *, const unsigned char *, const unsigned char *, char *, int);
int res_nquery(res_state, const char *, int, int, unsigned char *, int);
int res_nsearch(res_state, const char *, int, int, unsigned char *, int);
int res_nquerydomain(res_state, const char *, const char *, int, int, unsigned char *, int);
int res_nmkquery(res_state, int, const char *, int, int, const unsigned char *, int,
    const unsigned char *, unsigned char *, int);
int res_nsend(res_state, const unsigned char *, int, unsigned char *, int);
#endif
