#ifndef __TW_STRINGS_H
#define __TW_STRINGS_H
#include <time.h>
#include <stddef.h>
int strcasecmp(const char *left, const char *right);
int strncasecmp(const char *left, const char *right, size_t limit);
void bzero(void *to, size_t size);
void bcopy(const void *from, void *to, size_t size);
int ffs(int value);
int ffsl(long value);
int ffsll(long long value);
typedef struct __tw_locale *locale_t;
int bcmp(const void *, const void *, size_t);
char *index(const char *, int);
char *rindex(const char *, int);
int strcasecmp_l(const char *, const char *, locale_t);
int strncasecmp_l(const char *, const char *, size_t, locale_t);
#endif
