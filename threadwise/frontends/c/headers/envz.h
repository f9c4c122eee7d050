#ifndef __TW_ENVZ_H
#define __TW_ENVZ_H
#include <errno.h>
#include <stddef.h>
char *envz_entry(const char *restrict, size_t, const char *restrict);
char *envz_get(const char *restrict, size_t, const char *restrict);
error_t envz_add(char **restrict, size_t *restrict, const char *restrict, const char *restrict);
error_t envz_merge(char **restrict, size_t *restrict, const char *restrict, size_t, int);
void envz_remove(char **restrict, size_t *restrict, const char *restrict);
void envz_strip(char **restrict, size_t *restrict);
#endif
