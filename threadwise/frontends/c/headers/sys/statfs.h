#ifndef __TW_SYS_STATFS_H
#define __TW_SYS_STATFS_H
#include <sys/types.h>
struct statfs {
    long f_type;
    long f_bsize;
    fsblkcnt_t f_blocks;
    fsblkcnt_t f_bfree;
    fsblkcnt_t f_bavail;
    fsfilcnt_t f_files;
    fsfilcnt_t f_ffree;
    fsid_t f_fsid;
    long f_namelen;
    long f_frsize;
    long f_flags;
    long f_spare[4];
};
struct statfs64 {
    long f_type;
    long f_bsize;
    fsblkcnt64_t f_blocks;
    fsblkcnt64_t f_bfree;
    fsblkcnt64_t f_bavail;
    fsfilcnt64_t f_files;
    fsfilcnt64_t f_ffree;
    fsid_t f_fsid;
    long f_namelen;
    long f_frsize;
    long f_flags;
    long f_spare[4];
};
int statfs(const char *path, struct statfs *result);
int statfs64(const char *, struct statfs64 *);
int fstatfs(int, struct statfs *);
int fstatfs64(int, struct statfs64 *);
#endif
