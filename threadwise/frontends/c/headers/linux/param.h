#ifndef __TW_LINUX_PARAM_H
#define __TW_LINUX_PARAM_H
#include <sys/param.h>
#endif
