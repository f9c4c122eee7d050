#ifndef __TW_STDIO_EXT_H
#define __TW_STDIO_EXT_H
#include <stdio.h>
#define FSETLOCKING_QUERY 0
#define FSETLOCKING_INTERNAL 1
#define FSETLOCKING_BYCALLER 2
size_t __fbufsize(FILE *file);
int __freading(FILE *file);
int __fwriting(FILE *file);
int __freadable(FILE *file);
int __fwritable(FILE *file);
int __flbf(FILE *file);
void __fpurge(FILE *file);
size_t __fpending(FILE *file);
void _flushlbf(void);
int __fsetlocking(FILE *file, int type);
#endif
