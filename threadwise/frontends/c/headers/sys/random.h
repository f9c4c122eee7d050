#ifndef __TW_SYS_RANDOM_H
#define __TW_SYS_RANDOM_H
#include <sys/types.h>
ssize_t getrandom(void *buffer, size_t size, unsigned int flags);
#endif
