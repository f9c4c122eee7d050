#ifndef __TW_STDIO_H
#define __TW_STDIO_H
#include <stdarg.h>
#include <stddef.h>
#include <sys/types.h>
typedef struct __tw_file { int __tw_number; } FILE;
typedef long fpos_t;
extern FILE *stdin, *stdout, *stderr;
#define stdin stdin
#define stdout stdout
#define stderr stderr
#define EOF (-1)
#define BUFSIZ 8192
#define FILENAME_MAX 4096
#define SEEK_SET 0
#define SEEK_CUR 1
#define SEEK_END 2
#define _IOFBF 0
#define _IOLBF 1
#define _IONBF 2
int printf(const char *restrict format, ...);
int fprintf(FILE *restrict file, const char *restrict format, ...);
int dprintf(int file, const char *restrict format, ...);
int sprintf(char *restrict text, const char *restrict format, ...);
int snprintf(char *restrict text, size_t size, const char *restrict format, ...);
int vprintf(const char *restrict format, va_list arguments);
int vfprintf(FILE *restrict file, const char *restrict format, va_list arguments);
int vsprintf(char *restrict text, const char *restrict format, va_list arguments);
int vsnprintf(char *restrict text, size_t size, const char *restrict format, va_list arguments);
int scanf(const char *restrict format, ...);
int fscanf(FILE *restrict file, const char *restrict format, ...);
int sscanf(const char *restrict text, const char *restrict format, ...);
int puts(const char *text);
int fputs(const char *restrict text, FILE *restrict file);
int putchar(int character);
int fputc(int character, FILE *file);
int putc(int character, FILE *file);
int getchar(void);
int fgetc(FILE *file);
int getc(FILE *file);
int ungetc(int character, FILE *file);
char *fgets(char *restrict text, int size, FILE *restrict file);
ssize_t getline(char **restrict text, size_t *restrict size, FILE *restrict file);
void perror(const char *text);
int fflush(FILE *file);
FILE *fopen(const char *restrict path, const char *restrict mode);
FILE *fdopen(int file, const char *mode);
int fclose(FILE *file);
size_t fread(void *restrict buffer, size_t size, size_t count, FILE *restrict file);
size_t fwrite(const void *restrict buffer, size_t size, size_t count, FILE *restrict file);
int fseek(FILE *file, long offset, int from);
long ftell(FILE *file);
void rewind(FILE *file);
int feof(FILE *file);
int ferror(FILE *file);
void clearerr(FILE *file);
int fileno(FILE *file);
int remove(const char *path);
int rename(const char *from, const char *to);
void setbuf(FILE *restrict file, char *restrict buffer);
int setvbuf(FILE *restrict file, char *restrict buffer, int mode, size_t size);
void flockfile(FILE *file);
void funlockfile(FILE *file);
#endif
