#ifndef __TW_LINUX_UIO_H
#define __TW_LINUX_UIO_H
#include <sys/uio.h>
#endif
