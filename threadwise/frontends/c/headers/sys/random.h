#ifndef __TW_SYS_RANDOM_H
#define __TW_SYS_RANDOM_H
#include <sys/types.h>
ssize_t getrandom(void *buffer, size_t size, unsigned int flags);
#define GRND_NONBLOCK 0x1
#define GRND_RANDOM 0x2
#define GRND_INSECURE 0x4
#endif
