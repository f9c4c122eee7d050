#ifndef __TW_ERR_H
#define __TW_ERR_H
#include <stdarg.h>
__attribute__((noreturn)) void err(int status, const char *format, ...);
__attribute__((noreturn)) void errx(int status, const char *format, ...);
void warn(const char *format, ...);
void warnx(const char *format, ...);
void vwarn(const char *, va_list);
void vwarnx(const char *, va_list);
void verr(int, const char *, va_list);
void verrx(int, const char *, va_list);
#endif
