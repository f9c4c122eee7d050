#ifndef __TW_POLL_H
#define __TW_POLL_H
typedef unsigned long nfds_t;
struct pollfd { int fd; short events, revents; };
#define POLLIN 1
#define POLLPRI 2
#define POLLOUT 4
#define POLLERR 8
#define POLLHUP 16
#define POLLNVAL 32
int poll(struct pollfd *files, nfds_t count, int timeout);
typedef struct __tw_sigset sigset_t;
struct timespec;
#define POLLRDNORM 0x40
#define POLLRDBAND 0x80
#define POLLWRNORM 0x100
#define POLLWRBAND 0x200
#define POLLMSG 0x400
#define POLLREMOVE 0x1000
#define POLLRDHUP 0x2000
int ppoll(struct pollfd *files, nfds_t count, const struct timespec *timeout, const sigset_t *mask);
#endif
