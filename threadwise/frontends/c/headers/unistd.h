#ifndef __TW_UNISTD_H
#define __TW_UNISTD_H
#include <stddef.h>
#include <sys/types.h>
#define STDIN_FILENO 0
#define STDOUT_FILENO 1
#define STDERR_FILENO 2
#define _SC_PAGESIZE 30
#define _SC_NPROCESSORS_CONF 83
#define _SC_NPROCESSORS_ONLN 84
#define F_OK 0
#define R_OK 4
#define W_OK 2
#define X_OK 1
#define SEEK_SET 0
#define SEEK_CUR 1
#define SEEK_END 2
unsigned int sleep(unsigned int seconds);
int usleep(useconds_t microseconds);
int pause(void);
unsigned int alarm(unsigned int seconds);
long sysconf(int name);
int getpagesize(void);
pid_t getpid(void);
pid_t getppid(void);
pid_t gettid(void);
uid_t getuid(void);
pid_t fork(void);
pid_t vfork(void);
int execv(const char *path, char *const arguments[]);
int execvp(const char *file, char *const arguments[]);
__attribute__((noreturn)) void _exit(int status);
int close(int file);
ssize_t read(int file, void *buffer, size_t size);
ssize_t pread(int file, void *buffer, size_t size, off_t offset);
ssize_t pwrite(int file, const void *buffer, size_t size, off_t offset);
ssize_t write(int file, const void *buffer, size_t size);
off_t lseek(int file, off_t offset, int from);
int pipe(int files[2]);
int dup(int file);
int dup2(int from, int to);
int access(const char *path, int mode);
int unlink(const char *path);
int isatty(int file);
int fsync(int file);
long syscall(long number, ...);
extern char *optarg;
extern int optind, opterr, optopt;
int getopt(int count, char *const arguments[], const char *options);
#endif
