// What the system answers is any value; an error sets errno.
//
// expect assertions: SAFE
// expect -D SIZE assertions: UNSAFE
// expect -D NAME races: UNSAFE

#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <locale.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <termios.h>
#include <unistd.h>

int close(int file);
void closefrom(int file);
int dup(int file);
int dup2(int file, int other);
int dup3(int file, int other, int flags);
off_t lseek(int file, off_t offset, int whence);
off_t lseek64(int file, off_t offset, int whence);
int fcntl(int file, int command, ...);
int fcntl64(int file, int command, ...);
int ioctl(int file, unsigned long request, ...);
int stat(const char *path, struct stat *result);
int lstat(const char *path, struct stat *result);
int fstat(int file, struct stat *result);
int fstatat(int folder, const char *path, struct stat *result, int flags);
int stat64(const char *path, struct stat64 *result);
int lstat64(const char *path, struct stat64 *result);
int fstat64(int file, struct stat64 *result);
int __xstat(int version, const char *path, void *result);
int __lxstat(int version, const char *path, void *result);
int __fxstat(int version, int file, void *result);
int statfs(const char *path, struct statfs *result);
int statvfs(const char *path, struct statvfs *result);
int fstatvfs(int file, struct statvfs *result);
int ftruncate(int file, off_t size);
int truncate(const char *path, off_t size);
int fsync(int file);
int fdatasync(int file);
void sync(void);
int flock(int file, int operation);
int lockf(int file, int command, off_t size);
mode_t umask(mode_t mask);
int chown(const char *path, uid_t owner, gid_t group);
int fchown(int file, uid_t owner, gid_t group);
int fchmod(int file, mode_t mode);
int chdir(const char *path);
int fchdir(int file);
int chroot(const char *path);
int rmdir(const char *path);
int link(const char *path, const char *other);
int symlink(const char *path, const char *other);
int mkfifo(const char *path, mode_t mode);
int mknod(const char *path, mode_t mode, dev_t device);
int utimes(const char *path, const struct timeval times[2]);
ssize_t readlink(const char *path, char *buffer, size_t size);
char *getcwd(char *buffer, size_t size);
char *realpath(const char *path, char *resolved);
int mkstemp(char *path);
int pipe2(int files[2], int flags);
ssize_t readv(int file, const struct iovec *parts, int count);
ssize_t writev(int file, const struct iovec *parts, int count);
ssize_t sendfile(int to, int from, off_t *offset, size_t size);
int isatty(int file);
char *ttyname(int file);
char *getlogin(void);
int tcgetattr(int file, struct termios *settings);
int tcsetattr(int file, int when, const struct termios *settings);
int tcflush(int file, int queue);
int cfsetispeed(struct termios *settings, unsigned int speed);
int cfsetospeed(struct termios *settings, unsigned int speed);
void cfmakeraw(struct termios *settings);
int getrlimit(int resource, struct rlimit *limits);
int setrlimit(int resource, const struct rlimit *limits);
int getrlimit64(int resource, struct rlimit64 *limits);
int setrlimit64(int resource, const struct rlimit64 *limits);
int getrusage(int who, struct rusage *usage);
int getpriority(int which, unsigned int who);
int setpriority(int which, unsigned int who, int priority);
int nice(int step);
int uname(struct utsname *result);
int sysinfo(struct sysinfo *result);
int gethostname(char *name, size_t size);
int sethostname(const char *name, size_t size);
int prctl(int option, ...);
int getloadavg(double averages[], int count);
ssize_t getrandom(void *buffer, size_t size, unsigned int flags);
uint32_t arc4random(void);
uint32_t arc4random_uniform(uint32_t bound);
char *setlocale(int category, const char *name);
char *bindtextdomain(const char *domain, const char *folder);
char *textdomain(const char *domain);
char *gettext(const char *text);
char *dcgettext(const char *domain, const char *text, int category);
char *dgettext(const char *domain, const char *text);
char *ngettext(const char *one, const char *many, unsigned long count);
void *mmap(void *where, size_t size, int protection, int flags, int file, off_t offset);
int munmap(void *where, size_t size);
int mprotect(void *where, size_t size, int protection);
int msync(void *where, size_t size, int flags);
int madvise(void *where, size_t size, int advice);
int posix_madvise(void *where, size_t size, int advice);
int posix_fadvise(int file, off_t offset, off_t size, int advice);
int fallocate(int file, int mode, off_t offset, off_t size);
int posix_fallocate(int file, off_t offset, off_t size);
int mlock(const void *where, size_t size);
int munlock(const void *where, size_t size);
int mlockall(int flags);
int shm_open(const char *name, int flags, mode_t mode);
int shm_unlink(const char *name);
char *basename(char *path);
char *__xpg_basename(char *path);
char *dirname(char *path);
int fnmatch(const char *pattern, const char *text, int flags);
unsigned int getuid(void);
unsigned int geteuid(void);
unsigned int getgid(void);
unsigned int getegid(void);
int setuid(unsigned int id);
int seteuid(unsigned int id);
int setgid(unsigned int id);
int setegid(unsigned int id);
int setsid(void);
int getpgrp(void);
int getsid(int process);
int getpgid(int process);
int tcgetpgrp(int file);
int setpgid(int process, int group);
int tcsetpgrp(int file, int group);
int setreuid(unsigned int real, unsigned int effective);
int setregid(unsigned int real, unsigned int effective);
int initgroups(const char *name, unsigned int group);
int setgroups(size_t count, const unsigned int *groups);
int getgroups(int count, unsigned int groups[]);

static void others(void)
{
    close(0);
    closefrom(0);
    dup(0);
    dup2(0, 0);
    dup3(0, 0, 0);
    lseek(0, 0, 0);
    lseek64(0, 0, 0);
    fcntl(0, 0);
    fcntl64(0, 0);
    stat(0, 0);
    lstat(0, 0);
    fstat(0, 0);
    fstatat(0, 0, 0, 0);
    stat64(0, 0);
    lstat64(0, 0);
    fstat64(0, 0);
    __xstat(0, 0, 0);
    __lxstat(0, 0, 0);
    __fxstat(0, 0, 0);
    statfs(0, 0);
    statvfs(0, 0);
    fstatvfs(0, 0);
    ftruncate(0, 0);
    truncate(0, 0);
    fsync(0);
    fdatasync(0);
    sync();
    flock(0, 0);
    lockf(0, 0, 0);
    umask(0);
    chown(0, 0, 0);
    fchown(0, 0, 0);
    fchmod(0, 0);
    chdir(0);
    fchdir(0);
    chroot(0);
    rmdir(0);
    link(0, 0);
    symlink(0, 0);
    mkfifo(0, 0);
    mknod(0, 0, 0);
    utimes(0, 0);
    readlink(0, 0, 0);
    getcwd(0, 0);
    realpath(0, 0);
    mkstemp(0);
    pipe2(0, 0);
    readv(0, 0, 0);
    writev(0, 0, 0);
    sendfile(0, 0, 0, 0);
    isatty(0);
    ttyname(0);
    getlogin();
    tcgetattr(0, 0);
    tcsetattr(0, 0, 0);
    tcflush(0, 0);
    cfsetispeed(0, 0);
    cfsetospeed(0, 0);
    cfmakeraw(0);
    getrlimit(0, 0);
    setrlimit(0, 0);
    getrlimit64(0, 0);
    setrlimit64(0, 0);
    getrusage(0, 0);
    getpriority(0, 0);
    setpriority(0, 0, 0);
    nice(0);
    uname(0);
    sysinfo(0);
    gethostname(0, 0);
    sethostname(0, 0);
    prctl(0);
    getloadavg(0, 0);
    getrandom(0, 0, 0);
    arc4random();
    arc4random_uniform(0);
    bindtextdomain(0, 0);
    textdomain(0);
    gettext(0);
    dcgettext(0, 0, 0);
    dgettext(0, 0);
    ngettext(0, 0, 0);
    mmap(0, 0, 0, 0, 0, 0);
    munmap(0, 0);
    mprotect(0, 0, 0);
    msync(0, 0, 0);
    madvise(0, 0, 0);
    posix_madvise(0, 0, 0);
    posix_fadvise(0, 0, 0, 0);
    fallocate(0, 0, 0, 0);
    posix_fallocate(0, 0, 0);
    mlock(0, 0);
    munlock(0, 0);
    mlockall(0);
    shm_open(0, 0, 0);
    shm_unlink(0);
    __xpg_basename(0);
    dirname(0);
    fnmatch(0, 0, 0);
    getuid();
    geteuid();
    getgid();
    getegid();
    setuid(0);
    seteuid(0);
    setgid(0);
    setegid(0);
    setsid();
    getpgrp();
    getsid(0);
    getpgid(0);
    tcgetpgrp(0);
    setpgid(0, 0);
    tcsetpgrp(0, 0);
    setreuid(0, 0);
    setregid(0, 0);
    initgroups(0, 0);
    setgroups(0, 0);
    getgroups(0, 0);
}

static void *work(void *unused)
{
    return setlocale(0, "C");
}

int main(void)
{
#ifdef NAME
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    setlocale(0, "C");
    pthread_join(thread, NULL);
#elif defined(SIZE)
    struct winsize size = { 0 };
    assert(ioctl(0, TIOCGWINSZ, &size) != 0 || size.ws_row != 7);
#else
    char path[] = "a/b/c";
    assert(basename(path) == path + 4);
#endif
    (void)work;
    (void)others;
    return 0;
}
