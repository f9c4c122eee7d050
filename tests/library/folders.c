// Entries of folders and names are any texts; functions of the program are called.
//
// expect assertions: SAFE
// expect -D FAILED races: UNSAFE
// expect -D GIVEN races: SAFE

#define _GNU_SOURCE
#include <assert.h>
#include <dirent.h>
#include <fts.h>
#include <glob.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <wordexp.h>

static void mentioned(void)
{
    (void)readdir64;
    (void)readdir_r;
    (void)telldir;
    (void)seekdir;
    (void)alphasort;
    (void)versionsort;
    (void)scandir;
    (void)glob;
    (void)globfree;
    (void)wordexp;
    (void)wordfree;
}

static int calls;

static int every(const struct dirent *entry)
{
    calls++;
    return entry->d_type == DT_REG;
}

static int failed(const char *path, int error)
{
    calls++;
    return path[0] == 0 || error == 5;
}

static void *work(void *unused)
{
#ifdef FAILED
    glob_t names;
    if (glob("*", 0, failed, &names) == 0)
        globfree(&names);
#elif defined(GIVEN)
    DIR *folder = opendir(".");
    struct dirent entry, *result;
    if (folder && readdir_r(folder, &entry, &result) == 0 && result)
        result->d_type = 0;
#endif
    return unused;
}

int main(void)
{
#if defined(FAILED)
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    work(NULL);
    pthread_join(thread, NULL);
#elif defined(GIVEN)
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    work(NULL);
    pthread_join(thread, NULL);
#else
    assert(failed("", 1) && calls == 1);
    (void)every;
    (void)work;
#endif
    (void)mentioned;
    return 0;
}
