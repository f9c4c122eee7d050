#ifndef __TW_SYS_TERMIO_H
#define __TW_SYS_TERMIO_H
#include <termio.h>
#endif
