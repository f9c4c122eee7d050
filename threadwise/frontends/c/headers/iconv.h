#ifndef __TW_ICONV_H
#define __TW_ICONV_H
#include <stddef.h>
typedef void *iconv_t;
int iconv_close(iconv_t);
iconv_t iconv_open(const char *, const char *);
size_t iconv(iconv_t, char **restrict, size_t *restrict, char **restrict, size_t *restrict);
#endif
