// Names of the GNU library in preprocessed files.
//
// expect assertions: SAFE

#define _GNU_SOURCE
#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <syslog.h>
#include <unistd.h>

int __isoc99_scanf(const char *format, ...);
int __isoc99_fscanf(FILE *file, const char *format, ...);
int __isoc99_sscanf(const char *text, const char *format, ...);
int __isoc23_scanf(const char *format, ...);
int __isoc23_fscanf(FILE *file, const char *format, ...);
int __isoc23_sscanf(const char *text, const char *format, ...);
long __isoc23_strtol(const char *text, char **end, int base);
long long __isoc23_strtoll(const char *text, char **end, int base);
unsigned long __isoc23_strtoul(const char *text, char **end, int base);
unsigned long long __isoc23_strtoull(const char *text, char **end, int base);
int __printf_chk(int flag, const char *format, ...);
int __fprintf_chk(FILE *file, int flag, const char *format, ...);
int __sprintf_chk(char *text, int flag, size_t most, const char *format, ...);
int __snprintf_chk(char *text, size_t size, int flag, size_t most, const char *format, ...);
int __vsnprintf_chk(char *text, size_t size, int flag, size_t most, const char *format, va_list arguments);
int __vsprintf_chk(char *text, int flag, size_t most, const char *format, va_list arguments);
int __vfprintf_chk(FILE *file, int flag, const char *format, va_list arguments);
int __vprintf_chk(int flag, const char *format, va_list arguments);
void *__memcpy_chk(void *to, const void *from, size_t size, size_t most);
void *__memmove_chk(void *to, const void *from, size_t size, size_t most);
char *__strcpy_chk(char *to, const char *from, size_t most);
char *__strncpy_chk(char *to, const char *from, size_t limit, size_t most);
char *__strcat_chk(char *to, const char *from, size_t most);
char *__strncat_chk(char *to, const char *from, size_t limit, size_t most);
ssize_t __read_chk(int file, void *buffer, size_t size, size_t most);
ssize_t __recv_chk(int socket, void *buffer, size_t size, size_t most, int flags);
char *__fgets_chk(char *text, size_t most, int size, FILE *file);
char *__strdup(const char *text);
int _IO_getc(FILE *file);
int _IO_putc(int c, FILE *file);
long __fdelt_chk(long file);
int vscanf(const char *format, va_list arguments);
int vfscanf(FILE *file, const char *format, va_list arguments);
int vsscanf(const char *text, const char *format, va_list arguments);
int __isoc99_vfscanf(FILE *file, const char *format, va_list arguments);
int __isoc99_vsscanf(const char *text, const char *format, va_list arguments);
const unsigned short **__ctype_b_loc(void);
const int **__ctype_tolower_loc(void);
const int **__ctype_toupper_loc(void);

static void others(void)
{
    __isoc99_scanf(0);
    __isoc99_fscanf(0, 0);
    __isoc99_sscanf(0, 0);
    __isoc23_scanf(0);
    __isoc23_fscanf(0, 0);
    __isoc23_sscanf(0, 0);
    __isoc23_strtoll(0, 0, 0);
    __isoc23_strtoul(0, 0, 0);
    __isoc23_strtoull(0, 0, 0);
    __printf_chk(0, 0);
    __fprintf_chk(0, 0, 0);
    __sprintf_chk(0, 0, 0, 0);
    __snprintf_chk(0, 0, 0, 0, 0);
    __vsnprintf_chk(0, 0, 0, 0, 0, (va_list){ 0 });
    __vsprintf_chk(0, 0, 0, 0, (va_list){ 0 });
    __vfprintf_chk(0, 0, 0, (va_list){ 0 });
    __vprintf_chk(0, 0, (va_list){ 0 });
    __memcpy_chk(0, 0, 0, 0);
    __memmove_chk(0, 0, 0, 0);
    __strncpy_chk(0, 0, 0, 0);
    __strcat_chk(0, 0, 0);
    __strncat_chk(0, 0, 0, 0);
    __read_chk(0, 0, 0, 0);
    __recv_chk(0, 0, 0, 0, 0);
    __fgets_chk(0, 0, 0, 0);
    __strdup(0);
    _IO_getc(0);
    _IO_putc(0, 0);
    __fdelt_chk(0);
    vscanf(0, (va_list){ 0 });
    vfscanf(0, 0, (va_list){ 0 });
    vsscanf(0, 0, (va_list){ 0 });
    __isoc99_vfscanf(0, 0, (va_list){ 0 });
    __isoc99_vsscanf(0, 0, (va_list){ 0 });
}

int main(void)
{
    const unsigned short *class = *__ctype_b_loc();
    assert((class['a'] & 1024) && !(class['1'] & 1024) && (class['1'] & 2048));
    assert((*__ctype_tolower_loc())['Q'] == 'q' && (*__ctype_toupper_loc())['q'] == 'Q');
    char text[4];
    assert(__strcpy_chk(text, "abc", 4) == text && text[2] == 'c');
    assert(__isoc23_strtol("12", NULL, 10) == 12);
    (void)others;
    return 0;
}
