// The arguments of main and the environment are any texts; options are found in them.
//
// expect assertions: UNSAFE
// expect -D NAME assertions: UNSAFE
// expect -D OPTION assertions: UNSAFE

#define _GNU_SOURCE
#include <assert.h>
#include <getopt.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char *__library_text(void);
char **__library_arguments(int *number, int least);
char *getenv(const char *name);
char *secure_getenv(const char *name);
int setenv(const char *name, const char *value, int overwrite);
int unsetenv(const char *name);
int getopt(int count, char *const texts[], const char *options);

static void others(void)
{
    __library_text();
    __library_arguments(0, 0);
    secure_getenv(0);
    setenv(0, 0, 0);
    unsetenv(0);
}

int main(int count, char **texts)
{
#ifdef NAME
    char *home = getenv("HOME");
    assert(home);
#elif defined(OPTION)
    assert(getopt(count, texts, "a") == 'a');
#else
    assert(texts[count - 1] == NULL);
#endif
    (void)others;
    return 0;
}
