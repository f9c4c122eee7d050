// Output has no effect, but its arguments are evaluated.
//
// expect assertions: SAFE
// expect -D RACE races: UNSAFE

#define _GNU_SOURCE
#include <assert.h>
#include <err.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

static int shared;

static void log_all(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
#ifdef LISTS
    vprintf(format, arguments);
    vfprintf(stdout, format, arguments);
#endif
    va_end(arguments);
}

static void *work(void *unused)
{
    shared++;
    return NULL;
}

int main(void)
{
    int number = 1;
    printf("%d %s\n", number++, "text");
    assert(number == 2);
    fprintf(stderr, "%d\n", ++number);
    dprintf(1, "%d\n", number);
    puts("line");
    fputs("text", stdout);
    putchar('c');
    putc('c', stdout);
    fputc('c', stdout);
    fwrite("x", 1, 1, stdout);
    write(1, "x", 1);
    perror("main");
    warn("%d", number);
    warnx("%d", number);
    fflush(stdout);
    setbuf(stdout, NULL);
    setvbuf(stdout, NULL, _IONBF, 0);
    flockfile(stdout);
    funlockfile(stdout);
    fclose(stdout);
    assert(number == 3);
#ifdef RACE
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    printf("%d\n", shared);
    pthread_join(thread, NULL);
#endif
    (void)work;
    (void)log_all;
    return 0;
}
