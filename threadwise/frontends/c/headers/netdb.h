#ifndef __TW_NETDB_H
#define __TW_NETDB_H
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
#endif
