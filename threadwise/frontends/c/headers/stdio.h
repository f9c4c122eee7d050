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
typedef long fpos64_t;
typedef ssize_t cookie_read_function_t(void *cookie, char *buffer, size_t size);
typedef ssize_t cookie_write_function_t(void *cookie, const char *buffer, size_t size);
typedef int cookie_seek_function_t(void *cookie, off64_t *offset, int from);
typedef int cookie_close_function_t(void *cookie);
typedef struct {
    cookie_read_function_t *read;
    cookie_write_function_t *write;
    cookie_seek_function_t *seek;
    cookie_close_function_t *close;
} cookie_io_functions_t;
typedef void _IO_lock_t;
typedef ssize_t cookie_read_function_t(void *, char *, size_t);
typedef ssize_t cookie_write_function_t(void *, const char *, size_t);
typedef int cookie_seek_function_t(void *, off64_t *, int);
typedef int cookie_close_function_t(void *);
#define SEEK_DATA 3
#define SEEK_HOLE 4
#define P_tmpdir "/tmp"
#define L_tmpnam 20
#define TMP_MAX 238328
#define L_ctermid 9
#define FOPEN_MAX 16
#define RENAME_NOREPLACE 1
#define RENAME_EXCHANGE 2
#define RENAME_WHITEOUT 4
int renameat(int, const char *, int, const char *);
int renameat2(int, const char *, int, const char *, unsigned int);
FILE *tmpfile(void);
FILE *tmpfile64(void);
char *tmpnam(char [20]);
char *tmpnam_r(char [20]);
char *tempnam(const char *, const char *);
int fflush_unlocked(FILE *);
int fcloseall(void);
FILE *freopen(const char *restrict, const char *restrict, FILE *restrict);
FILE *fopen64(const char *restrict, const char *restrict);
FILE *freopen64(const char *restrict, const char *restrict, FILE *restrict);
FILE *fopencookie(void *restrict, const char *restrict, cookie_io_functions_t);
FILE *fmemopen(void *, size_t, const char *);
FILE *open_memstream(char **, size_t *);
void setbuffer(FILE *restrict, char *restrict, size_t);
void setlinebuf(FILE *);
int vasprintf(char **restrict, const char *restrict, va_list);
int asprintf(char **restrict, const char *restrict, ...);
int vdprintf(int, const char *restrict, va_list);
int vfscanf(FILE *restrict file, const char *restrict format, va_list arguments);
int vscanf(const char *restrict format, va_list arguments);
int vsscanf(const char *restrict text, const char *restrict format, va_list arguments);
int getc_unlocked(FILE *);
int getchar_unlocked(void);
int fgetc_unlocked(FILE *);
int fputc_unlocked(int, FILE *);
int putc_unlocked(int, FILE *);
int putchar_unlocked(int);
int getw(FILE *);
int putw(int, FILE *);
char *fgets_unlocked(char *restrict, int, FILE *restrict);
ssize_t getdelim(char **restrict, size_t *restrict, int, FILE *restrict);
int fputs_unlocked(const char *restrict, FILE *restrict);
size_t fread_unlocked(void *restrict, size_t, size_t, FILE *restrict);
size_t fwrite_unlocked(const void *restrict, size_t, size_t, FILE *restrict);
int fseeko(FILE *, off_t, int);
off_t ftello(FILE *);
int fgetpos(FILE *restrict, fpos_t *restrict);
int fsetpos(FILE *, const fpos_t *);
int fseeko64(FILE *, off64_t, int);
off64_t ftello64(FILE *);
void clearerr_unlocked(FILE *);
int feof_unlocked(FILE *);
int ferror_unlocked(FILE *);
int fileno_unlocked(FILE *);
int pclose(FILE *file);
FILE *popen(const char *command, const char *mode);
char *ctermid(char *);
int ftrylockfile(FILE *);
char *gets(char *text);
#endif
