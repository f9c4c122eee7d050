#ifndef __TW_ERR_H
#define __TW_ERR_H
__attribute__((noreturn)) void err(int status, const char *format, ...);
__attribute__((noreturn)) void errx(int status, const char *format, ...);
void warn(const char *format, ...);
void warnx(const char *format, ...);
#endif
