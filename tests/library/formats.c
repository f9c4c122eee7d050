// What a format writes is not computed, but that it writes is.
//
// expect -D RACE races: UNSAFE
// expect -D NUMBER assertions: UNSAFE

#include <assert.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>

static char text[4];

static void list(char *to, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(to, 2, format, arguments);
    va_end(arguments);
}

static void *work(void *unused)
{
    snprintf(text, 2, "%d", 1);
    return NULL;
}

static void unlimited(char *to, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsprintf(to, format, arguments);
    va_end(arguments);
    sprintf(to, "%d", 1);
}

int main(void)
{
#ifdef RACE
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    work(NULL);
    pthread_join(thread, NULL);
#else
    char other[4] = "xyz";
    int number = 3;
    list(other, "%d", number);
    assert(number != 3);
#endif
    (void)unlimited;
    return 0;
}
