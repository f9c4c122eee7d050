#ifndef __TW_SYS_SIGNAL_H
#define __TW_SYS_SIGNAL_H
#include <signal.h>
#endif
