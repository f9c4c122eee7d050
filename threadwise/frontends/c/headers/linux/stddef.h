#ifndef __TW_LINUX_STDDEF_H
#define __TW_LINUX_STDDEF_H
#include <stddef.h>
#endif
