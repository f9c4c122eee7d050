#ifndef __TW_LINUX_POLL_H
#define __TW_LINUX_POLL_H
#include <poll.h>
#endif
