// Entries, users and groups are in memory that all threads share.
//
// expect races: UNSAFE

#define _GNU_SOURCE
#include <assert.h>
#include <dirent.h>
#include <ftw.h>
#include <grp.h>
#include <pthread.h>
#include <pwd.h>
#include <stddef.h>
#include <sys/stat.h>

DIR *opendir(const char *path);
DIR *fdopendir(int file);
int closedir(DIR *folder);
void rewinddir(DIR *folder);
int dirfd(DIR *folder);
struct dirent *readdir(DIR *folder);
struct passwd *getpwnam(const char *name);
struct passwd *getpwuid(unsigned int user);
struct passwd *getpwent(void);
void setpwent(void);
void endpwent(void);
struct group *getgrnam(const char *name);
struct group *getgrgid(unsigned int group);
int ftw(const char *path, int (*visit)(const char *, const struct stat *, int), int files);
int nftw(const char *path, int (*visit)(const char *, const struct stat *, int, struct FTW *), int files, int flags);

static void others(void)
{
    opendir(0);
    fdopendir(0);
    closedir(0);
    rewinddir(0);
    dirfd(0);
    readdir(0);
    getpwnam(0);
    getpwent();
    setpwent();
    endpwent();
    getgrnam(0);
    getgrgid(0);
    ftw(0, 0, 0);
    nftw(0, 0, 0, 0);
}

static void *work(void *unused)
{
    return getpwuid(0);
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    getpwuid(1);
    pthread_join(thread, NULL);
    (void)others;
    return 0;
}
