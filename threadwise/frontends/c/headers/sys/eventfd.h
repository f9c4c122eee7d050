#ifndef __TW_SYS_EVENTFD_H
#define __TW_SYS_EVENTFD_H
#include <stdint.h>
int eventfd(unsigned int value, int flags);
typedef uint64_t eventfd_t;
#define EFD_SEMAPHORE 1
#define EFD_CLOEXEC 524288
#define EFD_NONBLOCK 2048
int eventfd_read(int, eventfd_t *);
int eventfd_write(int, eventfd_t);
#endif
