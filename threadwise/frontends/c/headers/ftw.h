#ifndef __TW_FTW_H
#define __TW_FTW_H
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
#endif
