// What has a static buffer races.
//
// expect races: UNSAFE

#define _GNU_SOURCE
#include <assert.h>
#include <dlfcn.h>
#include <execinfo.h>
#include <iconv.h>
#include <langinfo.h>
#include <locale.h>
#include <monetary.h>
#include <nl_types.h>
#include <pthread.h>
#include <regex.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

const char *gnu_get_libc_version(void);

static void mentioned(void)
{
    (void)regcomp;
    (void)regexec;
    (void)regerror;
    (void)regfree;
    (void)iconv_open;
    (void)iconv;
    (void)iconv_close;
    (void)localeconv;
    (void)nl_langinfo;
    (void)strfmon;
    (void)backtrace;
    (void)backtrace_symbols;
    (void)backtrace_symbols_fd;
    (void)dlerror;
    (void)gnu_get_libc_version;
}

static void *work(void *unused)
{
    localeconv();
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    work(NULL);
    pthread_join(thread, NULL);
    (void)mentioned;
    return 0;
}
