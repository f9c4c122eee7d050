#ifndef __TW_LINUX_EVENTPOLL_H
#define __TW_LINUX_EVENTPOLL_H
#include <sys/epoll.h>
#endif
