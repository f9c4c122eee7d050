#ifndef __TW_ASM_POLL_H
#define __TW_ASM_POLL_H
#include <poll.h>
#endif
