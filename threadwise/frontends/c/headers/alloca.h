#ifndef __TW_ALLOCA_H
#define __TW_ALLOCA_H
#include <stddef.h>
#undef alloca
#define alloca(size) __builtin_alloca(size)
#endif
