#ifndef __TW_SYS_MMAN_H
#define __TW_SYS_MMAN_H
#include <sys/types.h>
#define PROT_NONE 0
#define PROT_READ 1
#define PROT_WRITE 2
#define PROT_EXEC 4
#define MAP_SHARED 1
#define MAP_PRIVATE 2
#define MAP_FIXED 16
#define MAP_ANONYMOUS 32
#define MAP_ANON MAP_ANONYMOUS
#define MAP_FAILED ((void *)-1)
#define MS_ASYNC 1
#define MS_SYNC 4
#define MADV_NORMAL 0
#define MADV_DONTNEED 4
#define MCL_CURRENT 1
#define MCL_FUTURE 2
void *mmap(void *where, size_t size, int protection, int flags, int file, off_t offset);
int munmap(void *where, size_t size);
int mprotect(void *where, size_t size, int protection);
int msync(void *where, size_t size, int flags);
int madvise(void *where, size_t size, int advice);
int posix_madvise(void *where, size_t size, int advice);
int mlock(const void *where, size_t size);
int munlock(const void *where, size_t size);
int mlockall(int flags);
int shm_open(const char *name, int flags, mode_t mode);
int shm_unlink(const char *name);
#endif
