#ifndef __TW_LINUX_WAIT_H
#define __TW_LINUX_WAIT_H
#include <sys/wait.h>
#endif
