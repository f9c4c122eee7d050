#ifndef __TW_MONETARY_H
#define __TW_MONETARY_H
#include <stddef.h>
#include <sys/types.h>
typedef struct __tw_locale *locale_t;
ssize_t strfmon(char *restrict, size_t, const char *restrict, ...);
#endif
