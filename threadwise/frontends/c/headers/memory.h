#ifndef __TW_MEMORY_H
#define __TW_MEMORY_H
#include <string.h>
#endif
