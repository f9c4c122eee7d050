#ifndef __TW_SYS_SENDFILE_H
#define __TW_SYS_SENDFILE_H
#include <stddef.h>
#include <sys/types.h>
ssize_t sendfile(int to, int from, off_t *offset, size_t size);
ssize_t sendfile64(int, int, off64_t *, size_t);
#endif
