#ifndef __TW_ULIMIT_H
#define __TW_ULIMIT_H
#define UL_GETFSIZE 1
#define UL_SETFSIZE 2
long ulimit(int, ...);
#endif
