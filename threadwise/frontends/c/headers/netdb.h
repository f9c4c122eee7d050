#ifndef __TW_NETDB_H
#define __TW_NETDB_H
#include <stddef.h>
#include <stdint.h>
#include <netinet/in.h>
#include <sys/socket.h>
struct addrinfo {
    int ai_flags;
    int ai_family;
    int ai_socktype;
    int ai_protocol;
    socklen_t ai_addrlen;
    struct sockaddr *ai_addr;
    char *ai_canonname;
    struct addrinfo *ai_next;
};
struct hostent {
    char *h_name;
    char **h_aliases;
    int h_addrtype;
    int h_length;
    char **h_addr_list;
};
#define h_addr h_addr_list[0]
struct servent { char *s_name; char **s_aliases; int s_port; char *s_proto; };
struct protoent { char *p_name; char **p_aliases; int p_proto; };
#define AI_PASSIVE 1
#define AI_CANONNAME 2
#define AI_NUMERICHOST 4
#define AI_NUMERICSERV 0x400
#define NI_NUMERICHOST 1
#define NI_NUMERICSERV 2
#define NI_MAXHOST 1025
#define NI_MAXSERV 32
#define EAI_AGAIN -3
#define EAI_NONAME -2
int *__h_errno_location(void);
#define h_errno (*__h_errno_location())
int getaddrinfo(const char *host, const char *service, const struct addrinfo *hints,
                struct addrinfo **result);
void freeaddrinfo(struct addrinfo *list);
const char *gai_strerror(int error);
const char *hstrerror(int error);
int getnameinfo(const struct sockaddr *address, socklen_t length, char *host, socklen_t size,
                char *service, socklen_t room, int flags);
struct hostent *gethostbyname(const char *name);
struct hostent *gethostbyaddr(const void *address, socklen_t length, int type);
struct servent *getservbyname(const char *name, const char *protocol);
struct protoent *getprotobyname(const char *name);
struct netent { char *n_name; char **n_aliases; int n_addrtype; uint32_t n_net; };
#define _PATH_HEQUIV "/etc/hosts.equiv"
#define _PATH_HOSTS "/etc/hosts"
#define _PATH_NETWORKS "/etc/networks"
#define _PATH_NSSWITCH_CONF "/etc/nsswitch.conf"
#define _PATH_PROTOCOLS "/etc/protocols"
#define _PATH_SERVICES "/etc/services"
#define HOST_NOT_FOUND 1
#define TRY_AGAIN 2
#define NO_RECOVERY 3
#define NO_DATA 4
#define NETDB_INTERNAL (-1)
#define NETDB_SUCCESS 0
#define NO_ADDRESS 4
#define SCOPE_DELIMITER 37
#define GAI_WAIT 0
#define GAI_NOWAIT 1
#define AI_V4MAPPED 0x8
#define AI_ALL 0x10
#define AI_ADDRCONFIG 0x20
#define AI_IDN 0x40
#define AI_CANONIDN 0x80
#define AI_IDN_ALLOW_UNASSIGNED 0x100
#define AI_IDN_USE_STD3_ASCII_RULES 0x200
#define EAI_BADFLAGS (-1)
#define EAI_FAIL (-4)
#define EAI_FAMILY (-6)
#define EAI_SOCKTYPE (-7)
#define EAI_SERVICE (-8)
#define EAI_MEMORY (-10)
#define EAI_SYSTEM (-11)
#define EAI_OVERFLOW (-12)
#define EAI_NODATA (-5)
#define EAI_ADDRFAMILY (-9)
#define EAI_INPROGRESS (-100)
#define EAI_CANCELED (-101)
#define EAI_NOTCANCELED (-102)
#define EAI_ALLDONE (-103)
#define EAI_INTR (-104)
#define EAI_IDN_ENCODE (-105)
#define NI_NOFQDN 4
#define NI_NAMEREQD 8
#define NI_DGRAM 16
#define NI_IDN 32
#define NI_IDN_ALLOW_UNASSIGNED 64
#define NI_IDN_USE_STD3_ASCII_RULES 128
void herror(const char *);
void sethostent(int);
void endhostent(void);
struct hostent *gethostent(void);
struct hostent *gethostbyname2(const char *, int);
int gethostent_r(struct hostent *restrict, char *restrict, size_t, struct hostent **restrict,
    int *restrict);
int gethostbyaddr_r(const void *restrict, socklen_t, int, struct hostent *restrict,
    char *restrict, size_t, struct hostent **restrict, int *restrict);
int gethostbyname_r(const char *restrict, struct hostent *restrict, char *restrict, size_t,
    struct hostent **restrict, int *restrict);
int gethostbyname2_r(const char *restrict, int, struct hostent *restrict, char *restrict, size_t,
    struct hostent **restrict, int *restrict);
void setnetent(int);
void endnetent(void);
struct netent *getnetent(void);
struct netent *getnetbyaddr(uint32_t, int);
struct netent *getnetbyname(const char *);
int getnetent_r(struct netent *restrict, char *restrict, size_t, struct netent **restrict,
    int *restrict);
int getnetbyaddr_r(uint32_t, int, struct netent *restrict, char *restrict, size_t,
    struct netent **restrict, int *restrict);
int getnetbyname_r(const char *restrict, struct netent *restrict, char *restrict, size_t,
    struct netent **restrict, int *restrict);
void setservent(int);
void endservent(void);
struct servent *getservent(void);
struct servent *getservbyport(int, const char *);
int getservent_r(struct servent *restrict, char *restrict, size_t, struct servent **restrict);
int getservbyname_r(const char *restrict, const char *restrict, struct servent *restrict,
    char *restrict, size_t, struct servent **restrict);
int getservbyport_r(int, const char *restrict, struct servent *restrict, char *restrict, size_t,
    struct servent **restrict);
void setprotoent(int);
void endprotoent(void);
struct protoent *getprotoent(void);
struct protoent *getprotobynumber(int);
int getprotoent_r(struct protoent *restrict, char *restrict, size_t, struct protoent **restrict);
int getprotobyname_r(const char *restrict, struct protoent *restrict, char *restrict, size_t,
    struct protoent **restrict);
int getprotobynumber_r(int, struct protoent *restrict, char *restrict, size_t,
    struct protoent **restrict);
int setnetgrent(const char *);
void endnetgrent(void);
int getnetgrent(char **restrict, char **restrict, char **restrict);
int innetgr(const char *, const char *, const char *, const char *);
int getnetgrent_r(char **restrict, char **restrict, char **restrict, char *restrict, size_t);
int rcmd(char **restrict, unsigned short, const char *restrict, const char *restrict,
    const char *restrict, int *restrict);
int ruserok(const char *, int, const char *, const char *);
int rresvport(int *);
#endif
