#ifndef __TW_MALLOC_H
#define __TW_MALLOC_H
#include <stdlib.h>
#endif
