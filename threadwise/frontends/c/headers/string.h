#ifndef __TW_STRING_H
#define __TW_STRING_H
#include <strings.h>
#include <time.h>
#include <stddef.h>
void *memcpy(void *restrict to, const void *restrict from, size_t size);
void *mempcpy(void *restrict to, const void *restrict from, size_t size);
void *memmove(void *to, const void *from, size_t size);
void *memset(void *to, int byte, size_t size);
int memcmp(const void *left, const void *right, size_t size);
void *memchr(const void *text, int byte, size_t size);
size_t strlen(const char *text);
size_t strnlen(const char *text, size_t limit);
char *strcpy(char *restrict to, const char *restrict from);
char *stpcpy(char *restrict to, const char *restrict from);
char *strncpy(char *restrict to, const char *restrict from, size_t limit);
char *strcat(char *restrict to, const char *restrict from);
char *strncat(char *restrict to, const char *restrict from, size_t limit);
int strcmp(const char *left, const char *right);
int strncmp(const char *left, const char *right, size_t limit);
int strcoll(const char *left, const char *right);
char *strchr(const char *text, int character);
char *strrchr(const char *text, int character);
char *strstr(const char *text, const char *part);
char *strpbrk(const char *text, const char *characters);
size_t strspn(const char *text, const char *characters);
size_t strcspn(const char *text, const char *characters);
char *strtok(char *restrict text, const char *restrict separators);
char *strtok_r(char *restrict text, const char *restrict separators, char **restrict state);
char *strdup(const char *text);
char *strndup(const char *text, size_t limit);
struct __tw_text { int number; };           /* a text that is not computed */
char *strerror(int number);
#ifdef _GNU_SOURCE
char *strerror_r(int number, char *text, size_t size);
#else
#define strerror_r __xpg_strerror_r
#endif
int __xpg_strerror_r(int number, char *text, size_t size);
int ffsl(long value);
int ffsll(long long value);
typedef struct __tw_locale *locale_t;
void *memccpy(void *restrict, const void *restrict, int, size_t);
void *rawmemchr(const void *, int);
void *memrchr(const void *, int, size_t);
size_t strxfrm(char *restrict, const char *restrict, size_t);
char *strchrnul(const char *, int);
char *strcasestr(const char *, const char *);
void *memmem(const void *, size_t, const void *, size_t);
const char *strerrordesc_np(int);
const char *strerrorname_np(int);
char *strerror_l(int, locale_t);
void explicit_bzero(void *, size_t);
char *strsep(char **restrict, const char *restrict);
char *strsignal(int);
const char *sigabbrev_np(int);
const char *sigdescr_np(int);
char *stpncpy(char *restrict, const char *restrict, size_t);
int strverscmp(const char *, const char *);
char *strfry(char *);
void *memfrob(void *, size_t);
size_t strlcpy(char *restrict to, const char *restrict from, size_t size);
size_t strlcat(char *restrict to, const char *restrict from, size_t size);
#define strdupa(text) strcpy((char *)__builtin_alloca(strlen(text) + 1), text)
#endif
