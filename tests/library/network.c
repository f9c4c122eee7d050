// Addresses and names are any values; the order of bytes is computed.
//
// expect assertions: SAFE
// expect -D HOST races: UNSAFE

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/epoll.h>
#include <signal.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <time.h>

int socket(int domain, int type, int protocol);
int socketpair(int domain, int type, int protocol, int files[2]);
int listen(int socket, int backlog);
int shutdown(int socket, int how);
int accept4(int socket, struct sockaddr *address, unsigned int *length, int flags);
int getsockname(int socket, struct sockaddr *address, unsigned int *length);
int getpeername(int socket, struct sockaddr *address, unsigned int *length);
int getsockopt(int socket, int level, int name, void *value, unsigned int *length);
ssize_t sendmsg(int socket, const struct msghdr *message, int flags);
ssize_t recvmsg(int socket, struct msghdr *message, int flags);
uint32_t htonl(uint32_t value);
uint32_t ntohl(uint32_t value);
uint16_t htons(uint16_t value);
uint16_t ntohs(uint16_t value);
uint32_t inet_addr(const char *text);
int inet_aton(const char *text, struct in_addr *address);
int inet_pton(int family, const char *text, void *address);
const char *inet_ntop(int family, const void *address, char *text, unsigned int size);
char *inet_ntoa(struct in_addr address);
int getaddrinfo(const char *host, const char *service, const struct addrinfo *hints, struct addrinfo **result);
void freeaddrinfo(struct addrinfo *list);
const char *gai_strerror(int error);
const char *hstrerror(int error);
int getnameinfo(const struct sockaddr *address, unsigned int length, char *host, unsigned int size, char *service, unsigned int room, int flags);
struct hostent *gethostbyname(const char *name);
struct hostent *gethostbyaddr(const void *address, unsigned int length, int type);
struct servent *getservbyname(const char *name, const char *protocol);
struct protoent *getprotobyname(const char *name);
int epoll_create(int size);
int epoll_create1(int flags);
int epoll_ctl(int file, int operation, int other, struct epoll_event *event);
int epoll_wait(int file, struct epoll_event *events, int count, int timeout);
int epoll_pwait(int file, struct epoll_event *events, int count, int timeout, const sigset_t *mask);
int pselect(int count, fd_set *reading, fd_set *writing, fd_set *failing, const struct timespec *timeout, const sigset_t *mask);
int ppoll(struct pollfd *files, nfds_t count, const struct timespec *timeout, const sigset_t *mask);
unsigned int if_nametoindex(const char *name);
void closelog(void);
int setlogmask(int mask);
void vsyslog(int priority, const char *format, va_list arguments);

static void others(void)
{
    socket(0, 0, 0);
    socketpair(0, 0, 0, 0);
    listen(0, 0);
    shutdown(0, 0);
    accept4(0, 0, 0, 0);
    getsockname(0, 0, 0);
    getpeername(0, 0, 0);
    getsockopt(0, 0, 0, 0, 0);
    sendmsg(0, 0, 0);
    recvmsg(0, 0, 0);
    htonl(0);
    ntohs(0);
    inet_addr(0);
    inet_aton(0, 0);
    inet_pton(0, 0, 0);
    inet_ntop(0, 0, 0, 0);
    inet_ntoa((struct in_addr){ 0 });
    getaddrinfo(0, 0, 0, 0);
    freeaddrinfo(0);
    gai_strerror(0);
    hstrerror(0);
    getnameinfo(0, 0, 0, 0, 0, 0, 0);
    gethostbyaddr(0, 0, 0);
    getservbyname(0, 0);
    getprotobyname(0);
    epoll_create(0);
    epoll_create1(0);
    epoll_ctl(0, 0, 0, 0);
    epoll_wait(0, 0, 0, 0);
    epoll_pwait(0, 0, 0, 0, 0);
    pselect(0, 0, 0, 0, 0, 0);
    ppoll(0, 0, 0, 0);
    if_nametoindex(0);
    closelog();
    setlogmask(0);
    vsyslog(0, 0, (va_list){ 0 });
}

static void *work(void *unused)
{
    return gethostbyname("a");
}

int main(void)
{
#ifdef HOST
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    gethostbyname("b");
    pthread_join(thread, NULL);
#else
    assert(htons(0x1234) == 0x3412 && ntohl(0x12345678) == 0x78563412);
#endif
    (void)work;
    (void)others;
    return 0;
}
