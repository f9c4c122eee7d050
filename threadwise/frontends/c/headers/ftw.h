#ifndef __TW_FTW_H
#define __TW_FTW_H
#include <fcntl.h>
#include <sys/stat.h>
struct FTW { int base, level; };
#define FTW_F 0
#define FTW_D 1
#define FTW_DNR 2
#define FTW_NS 3
#define FTW_PHYS 1
int ftw(const char *path, int (*visit)(const char *, const struct stat *, int), int files);
int nftw(const char *path, int (*visit)(const char *, const struct stat *, int, struct FTW *),
         int files, int flags);
#define FTW_SL 4
#define FTW_DP 5
#define FTW_SLN 6
#define FTW_MOUNT 2
#define FTW_CHDIR 4
#define FTW_DEPTH 8
#define FTW_ACTIONRETVAL 16
#define FTW_CONTINUE 0
#define FTW_STOP 1
#define FTW_SKIP_SUBTREE 2
#define FTW_SKIP_SIBLINGS 3
int ftw64(const char *, int (*)(const char *, const struct stat64 *, int), int);
int nftw64(const char *, int (*)(const char *, const struct stat64 *, int, struct FTW *), int, int);
#endif
