#ifndef __TW_WAIT_H
#define __TW_WAIT_H
#include <sys/wait.h>
#endif
