#ifndef __TW_FCNTL_H
#define __TW_FCNTL_H
#include <stddef.h>
#include <sys/uio.h>
#include <time.h>
#include <sys/types.h>
#define O_RDONLY 0
#define O_WRONLY 1
#define O_RDWR 2
#define O_CREAT 0100
#define O_EXCL 0200
#define O_TRUNC 01000
#define O_APPEND 02000
#define O_NONBLOCK 04000
int open(const char *path, int flags, ...);
int creat(const char *path, mode_t mode);
int fcntl(int file, int command, ...);
struct f_owner_ex { int type; pid_t pid; };
struct flock { short l_type; short l_whence; off_t l_start; off_t l_len; pid_t l_pid; };
struct flock64 {
    short l_type;
    short l_whence;
    off64_t l_start;
    off64_t l_len;
    pid_t l_pid;
};
struct file_handle {
    unsigned int handle_bytes;
    int handle_type;
    unsigned char f_handle[0];
};
struct stat64 {
    dev_t st_dev;
    ino64_t st_ino;
    nlink_t st_nlink;
    mode_t st_mode;
    uid_t st_uid;
    gid_t st_gid;
    int __pad0;
    dev_t st_rdev;
    off_t st_size;
    blksize_t st_blksize;
    blkcnt64_t st_blocks;
    struct timespec st_atim;
    struct timespec st_mtim;
    struct timespec st_ctim;
    long __glibc_reserved[3];
};
#define F_GETLK64 5
#define F_SETLK64 6
#define F_SETLKW64 7
#define O_ACCMODE 03
#define O_NOCTTY 0400
#define O_NDELAY 2048
#define O_SYNC 04010000
#define O_FSYNC 1052672
#define O_ASYNC 020000
#define F_GETLK 5
#define F_SETLK 6
#define F_SETLKW 7
#define F_OFD_GETLK 36
#define F_OFD_SETLK 37
#define F_OFD_SETLKW 38
#define O_LARGEFILE 0
#define O_DIRECTORY 65536
#define O_NOFOLLOW 131072
#define O_CLOEXEC 524288
#define O_DIRECT 16384
#define O_NOATIME 262144
#define O_PATH 2097152
#define O_TMPFILE 4259840
#define O_DSYNC 4096
#define O_RSYNC 1052672
#define F_DUPFD 0
#define F_GETFD 1
#define F_SETFD 2
#define F_GETFL 3
#define F_SETFL 4
#define F_SETOWN 8
#define F_GETOWN 9
#define F_SETSIG 10
#define F_GETSIG 11
#define F_SETOWN_EX 15
#define F_GETOWN_EX 16
#define F_SETLEASE 1024
#define F_GETLEASE 1025
#define F_NOTIFY 1026
#define F_SETPIPE_SZ 1031
#define F_GETPIPE_SZ 1032
#define F_ADD_SEALS 1033
#define F_GET_SEALS 1034
#define F_GET_RW_HINT 1035
#define F_SET_RW_HINT 1036
#define F_GET_FILE_RW_HINT 1037
#define F_SET_FILE_RW_HINT 1038
#define F_DUPFD_CLOEXEC 1030
#define FD_CLOEXEC 1
#define F_RDLCK 0
#define F_WRLCK 1
#define F_UNLCK 2
#define F_EXLCK 4
#define F_SHLCK 8
#define LOCK_MAND 32
#define LOCK_READ 64
#define LOCK_WRITE 128
#define LOCK_RW 192
#define DN_ACCESS 0x1
#define DN_MODIFY 0x2
#define DN_CREATE 0x4
#define DN_DELETE 0x8
#define DN_RENAME 0x10
#define DN_ATTRIB 0x20
#define DN_MULTISHOT 0x80000000U
#define F_SEAL_SEAL 0x1
#define F_SEAL_SHRINK 0x2
#define F_SEAL_GROW 0x4
#define F_SEAL_WRITE 0x8
#define F_SEAL_FUTURE_WRITE 0x10
#define RWH_WRITE_LIFE_NOT_SET 0
#define RWF_WRITE_LIFE_NOT_SET 0
#define RWH_WRITE_LIFE_NONE 1
#define RWH_WRITE_LIFE_SHORT 2
#define RWH_WRITE_LIFE_MEDIUM 3
#define RWH_WRITE_LIFE_LONG 4
#define RWH_WRITE_LIFE_EXTREME 5
#define FAPPEND 1024
#define FFSYNC 1052672
#define FASYNC 8192
#define FNONBLOCK 2048
#define FNDELAY 2048
#define POSIX_FADV_NORMAL 0
#define POSIX_FADV_RANDOM 1
#define POSIX_FADV_SEQUENTIAL 2
#define POSIX_FADV_WILLNEED 3
#define POSIX_FADV_DONTNEED 4
#define POSIX_FADV_NOREUSE 5
#define SYNC_FILE_RANGE_WAIT_BEFORE 1
#define SYNC_FILE_RANGE_WRITE 2
#define SYNC_FILE_RANGE_WAIT_AFTER 4
#define SYNC_FILE_RANGE_WRITE_AND_WAIT 7
#define SPLICE_F_MOVE 1
#define SPLICE_F_NONBLOCK 2
#define SPLICE_F_MORE 4
#define SPLICE_F_GIFT 8
#define MAX_HANDLE_SZ 128
#define AT_FDCWD (-100)
#define AT_SYMLINK_NOFOLLOW 0x100
#define AT_REMOVEDIR 0x200
#define AT_SYMLINK_FOLLOW 0x400
#define AT_NO_AUTOMOUNT 0x800
#define AT_EMPTY_PATH 0x1000
#define AT_STATX_SYNC_TYPE 0x6000
#define AT_STATX_SYNC_AS_STAT 0x0
#define AT_STATX_FORCE_SYNC 0x2000
#define AT_STATX_DONT_SYNC 0x4000
#define AT_RECURSIVE 0x8000
#define AT_EACCESS 0x200
#define UTIME_NOW 1073741823L
#define UTIME_OMIT 1073741822L
#define S_ISUID 2048
#define S_ISGID 1024
#define S_ISVTX 512
#define F_OWNER_TID 0
#define F_OWNER_PID 1
#define F_OWNER_PGRP 2
#define F_OWNER_GID 2
ssize_t readahead(int, off64_t, size_t);
int sync_file_range(int, off64_t, off64_t, unsigned int);
ssize_t vmsplice(int, const struct iovec *, size_t, unsigned int);
ssize_t splice(int, off64_t *, int, off64_t *, size_t, unsigned int);
ssize_t tee(int, int, size_t, unsigned int);
int fallocate(int file, int mode, off_t offset, off_t size);
int fallocate64(int, int, off64_t, off64_t);
int name_to_handle_at(int, const char *, struct file_handle *, int *, int);
int open_by_handle_at(int, struct file_handle *, int);
int fcntl64(int file, int command, ...);
int open64(const char *, int, ...);
int openat(int, const char *, int, ...);
int openat64(int, const char *, int, ...);
int creat64(const char *, mode_t);
int posix_fadvise(int file, off_t offset, off_t size, int advice);
int posix_fadvise64(int, off64_t, off64_t, int);
int posix_fallocate(int file, off_t offset, off_t size);
int posix_fallocate64(int, off64_t, off64_t);
#endif
