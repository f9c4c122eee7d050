#ifndef __TW_SYS_FANOTIFY_H
#define __TW_SYS_FANOTIFY_H
#include <stdint.h>
int fanotify_init(unsigned int, unsigned int);
int fanotify_mark(int, unsigned int, uint64_t, int, const char *);
#endif
