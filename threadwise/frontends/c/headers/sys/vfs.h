#ifndef __TW_SYS_VFS_H
#define __TW_SYS_VFS_H
#include <sys/statfs.h>
#endif
