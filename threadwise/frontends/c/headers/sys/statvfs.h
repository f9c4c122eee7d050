#ifndef __TW_SYS_STATVFS_H
#define __TW_SYS_STATVFS_H
#include <sys/types.h>
struct statvfs {
    unsigned long f_bsize, f_frsize, f_blocks, f_bfree, f_bavail, f_files, f_ffree, f_favail;
    unsigned long f_fsid, f_flag, f_namemax;
};
int statvfs(const char *path, struct statvfs *result);
int fstatvfs(int file, struct statvfs *result);
#endif
