// Texts that are made are in fresh memory; what is read is any line.
//
// expect assertions: SAFE
// expect -D NAME races: UNSAFE
// expect -D OWN races: SAFE
// expect -D LINE assertions: UNSAFE
// expect -D MADE assertions: UNSAFE

#define _GNU_SOURCE
#include <assert.h>
#include <malloc.h>
#include <pthread.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>

int __asprintf_chk(char **text, int flag, const char *format, ...);
int __vasprintf_chk(char **text, int flag, const char *format, va_list arguments);
ssize_t __getdelim(char **text, size_t *size, int delimiter, FILE *file);
int __overflow(FILE *file, int character);
int __uflow(FILE *file);
int fpurge(FILE *file);

static void mentioned(void)
{
    (void)asprintf;
    (void)vasprintf;
    (void)__asprintf_chk;
    (void)__vasprintf_chk;
    (void)vdprintf;
    (void)getdelim;
    (void)getline;
    (void)__getdelim;
    (void)freopen;
    (void)freopen64;
    (void)fopen64;
    (void)tmpfile;
    (void)tmpfile64;
    (void)tmpnam;
    (void)tmpnam_r;
    (void)tempnam;
    (void)fseeko;
    (void)ftello;
    (void)fseeko64;
    (void)ftello64;
    (void)fgetpos;
    (void)fsetpos;
    (void)setlinebuf;
    (void)setbuffer;
    (void)getw;
    (void)putw;
    (void)ftrylockfile;
    (void)getc_unlocked;
    (void)fgetc_unlocked;
    (void)getchar_unlocked;
    (void)feof_unlocked;
    (void)ferror_unlocked;
    (void)fileno_unlocked;
    (void)clearerr_unlocked;
    (void)putc_unlocked;
    (void)fputc_unlocked;
    (void)putchar_unlocked;
    (void)fflush_unlocked;
    (void)fputs_unlocked;
    (void)fgets_unlocked;
    (void)fread_unlocked;
    (void)fwrite_unlocked;
    (void)gets;
    (void)__overflow;
    (void)__uflow;
    (void)fpurge;
    (void)__fpurge;
    (void)__fpending;
    (void)pvalloc;
    (void)malloc_usable_size;
    (void)malloc_trim;
    (void)mallopt;
    (void)malloc_stats;
    (void)ctermid;
}

static void *work(void *unused)
{
#ifdef NAME
    tmpnam(NULL);
#else
    char name[L_tmpnam], *text;
    tmpnam(name);
    if (asprintf(&text, "%s", name) >= 0)
        free(text);
#endif
    return unused;
}

int main(void)
{
#if defined(NAME) || defined(OWN)
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    work(NULL);
    pthread_join(thread, NULL);
#elif defined(LINE)
    char *line = NULL;
    size_t size = 0;
    if (getdelim(&line, &size, ';', stdin) > 0)
        assert(line[0] != 'x');
#elif defined(MADE)
    char *made;
    if (asprintf(&made, "%d", 1) >= 0)
        assert(made[0] == '2');
#else
    assert(tmpnam_r(NULL) == NULL);
#endif
    (void)mentioned;
    return 0;
}
