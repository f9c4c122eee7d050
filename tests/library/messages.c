// Messages with lists of arguments; some end the program.
//
// expect assertions: SAFE

#define _GNU_SOURCE
#include <assert.h>
#include <err.h>
#include <error.h>
#include <pthread.h>
#include <stdarg.h>
#include <stddef.h>

static void mentioned(void)
{
    (void)vwarn;
    (void)vwarnx;
    (void)verr;
    (void)verrx;
    (void)error_at_line;
}

static void fail(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vwarnx(format, arguments);
    verrx(1, format, arguments);
}

int main(void)
{
    int before = 1;
    error_at_line(0, 0, "file.c", 1, "message %d", before);
    assert(before == 1);
    fail("ended %d", 2);
    assert(0);
    (void)mentioned;
    return 0;
}
