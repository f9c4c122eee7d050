#ifndef __TW_SYS_UIO_H
#define __TW_SYS_UIO_H
#include <sys/types.h>
struct iovec { void *iov_base; size_t iov_len; };
ssize_t readv(int file, const struct iovec *parts, int count);
ssize_t writev(int file, const struct iovec *parts, int count);
#define UIO_MAXIOV 1024
#define RWF_HIPRI 0x1
#define RWF_DSYNC 0x2
#define RWF_SYNC 0x4
#define RWF_NOWAIT 0x8
#define RWF_APPEND 0x10
#define RWF_NOAPPEND 0x20
ssize_t preadv(int, const struct iovec *, int, off_t);
ssize_t pwritev(int, const struct iovec *, int, off_t);
ssize_t preadv64(int, const struct iovec *, int, off64_t);
ssize_t pwritev64(int, const struct iovec *, int, off64_t);
ssize_t preadv2(int, const struct iovec *, int, off_t, int);
ssize_t pwritev2(int, const struct iovec *, int, off_t, int);
ssize_t preadv64v2(int, const struct iovec *, int, off64_t, int);
ssize_t pwritev64v2(int, const struct iovec *, int, off64_t, int);
ssize_t process_vm_readv(pid_t, const struct iovec *, unsigned long, const struct iovec *,
    unsigned long, unsigned long);
ssize_t process_vm_writev(pid_t, const struct iovec *, unsigned long, const struct iovec *,
    unsigned long, unsigned long);
#endif
