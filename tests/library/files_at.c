// What is read of files is any value; what is written is read.
//
// expect assertions: SAFE
// expect -D READ assertions: UNSAFE
// expect -D TIMES races: UNSAFE
// expect -D BUFFER races: UNSAFE

#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/xattr.h>
#include <unistd.h>
#include <utime.h>

static void mentioned(void)
{
    (void)openat;
    (void)open64;
    (void)openat64;
    (void)creat64;
    (void)pread64;
    (void)pwrite64;
    (void)faccessat;
    (void)euidaccess;
    (void)eaccess;
    (void)fchmodat;
    (void)lchmod;
    (void)lchown;
    (void)fchownat;
    (void)linkat;
    (void)symlinkat;
    (void)unlinkat;
    (void)renameat;
    (void)renameat2;
    (void)mkdirat;
    (void)mkfifoat;
    (void)mknodat;
    (void)readlinkat;
    (void)utime;
    (void)utimensat;
    (void)lutimes;
    (void)futimesat;
    (void)futimens;
    (void)futimes;
    (void)fstatat64;
    (void)statx;
    (void)fstatfs;
    (void)fstatfs64;
    (void)fstatvfs64;
    (void)statfs64;
    (void)statvfs64;
    (void)truncate64;
    (void)ftruncate64;
    (void)syncfs;
    (void)fallocate64;
    (void)sync_file_range;
    (void)posix_fadvise64;
    (void)posix_fallocate64;
    (void)readahead;
    (void)lockf64;
    (void)preadv;
    (void)preadv64;
    (void)preadv2;
    (void)pwritev;
    (void)pwritev64;
    (void)pwritev2;
    (void)sendfile64;
    (void)splice;
    (void)tee;
    (void)vmsplice;
    (void)copy_file_range;
    (void)eventfd_read;
    (void)eventfd_write;
    (void)timerfd_gettime;
    (void)signalfd;
    (void)inotify_init;
    (void)inotify_init1;
    (void)inotify_add_watch;
    (void)inotify_rm_watch;
    (void)getxattr;
    (void)setxattr;
    (void)listxattr;
    (void)removexattr;
    (void)lgetxattr;
    (void)lsetxattr;
    (void)llistxattr;
    (void)lremovexattr;
    (void)fgetxattr;
    (void)fsetxattr;
    (void)flistxattr;
    (void)fremovexattr;
    (void)mount;
    (void)umount;
    (void)umount2;
    (void)mkostemp;
    (void)mkstemp64;
    (void)mkostemp64;
    (void)mkstemps;
    (void)mkostemps;
    (void)mkdtemp;
    (void)mktemp;
    (void)canonicalize_file_name;
    (void)get_current_dir_name;
    (void)getwd;
    (void)pathconf;
    (void)fpathconf;
    (void)confstr;
    (void)munlockall;
    (void)mincore;
    (void)memfd_create;
    (void)mmap64;
    (void)prlimit;
    (void)prlimit64;
}

static struct timespec times[2];
static char buffer[4];

static void *work(void *unused)
{
#ifdef TIMES
    utimensat(0, "a", times, 0);
#elif defined(BUFFER)
    pwrite64(1, buffer, sizeof buffer, 0);
#endif
    return unused;
}

int main(void)
{
#if defined(READ)
    assert(pread64(0, buffer, 1, 0) <= 0 || buffer[0] != 7);
#elif defined(TIMES)
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    times[1].tv_nsec = UTIME_NOW;
    pthread_join(thread, NULL);
#elif defined(BUFFER)
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    buffer[3] = 1;
    pthread_join(thread, NULL);
#else
    char name[] = "aXXXXX", other[] = "XXXXXX.c";
    assert(!mkdtemp(name) && name[5] == 'X' && mkstemps(other, 3) < 0);
    assert(openat(AT_FDCWD, "a", O_RDONLY) >= -1 && work(times) == times);
#endif
    (void)mentioned;
    return 0;
}
