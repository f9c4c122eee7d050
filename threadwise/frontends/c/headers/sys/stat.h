#ifndef __TW_SYS_STAT_H
#define __TW_SYS_STAT_H
#include <sys/types.h>
#define S_IRUSR 0400
#define S_IWUSR 0200
#define S_IXUSR 0100
int mkdir(const char *path, mode_t mode);
int chmod(const char *path, mode_t mode);
#endif
