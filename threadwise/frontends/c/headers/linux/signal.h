#ifndef __TW_LINUX_SIGNAL_H
#define __TW_LINUX_SIGNAL_H
#include <signal.h>
#endif
