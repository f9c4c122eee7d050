#ifndef __TW_STRINGS_H
#define __TW_STRINGS_H
#include <stddef.h>
int strcasecmp(const char *left, const char *right);
int strncasecmp(const char *left, const char *right, size_t limit);
void bzero(void *to, size_t size);
void bcopy(const void *from, void *to, size_t size);
int ffs(int value);
int ffsl(long value);
int ffsll(long long value);
#endif
