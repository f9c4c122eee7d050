#ifndef __TW_SYS_EPOLL_H
#define __TW_SYS_EPOLL_H
#include <poll.h>
#include <time.h>
#include <stdint.h>
typedef union epoll_data { void *ptr; int fd; uint32_t u32; uint64_t u64; } epoll_data_t;
struct epoll_event { uint32_t events; epoll_data_t data; } __attribute__((packed));
#define EPOLLIN 1
#define EPOLLOUT 4
#define EPOLLERR 8
#define EPOLLHUP 16
#define EPOLLRDHUP 0x2000
#define EPOLLONESHOT (1u << 30)
#define EPOLLET (1u << 31)
#define EPOLL_CLOEXEC 02000000
#define EPOLL_CTL_ADD 1
#define EPOLL_CTL_DEL 2
#define EPOLL_CTL_MOD 3
int epoll_create(int size);
int epoll_create1(int flags);
int epoll_ctl(int file, int operation, int other, struct epoll_event *event);
int epoll_wait(int file, struct epoll_event *events, int count, int timeout);
int epoll_pwait(int file, struct epoll_event *events, int count, int timeout, const sigset_t *mask);
int epoll_pwait2(int, struct epoll_event *, int, const struct timespec *, const sigset_t *);
#endif
