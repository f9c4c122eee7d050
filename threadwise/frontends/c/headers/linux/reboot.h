#ifndef __TW_LINUX_REBOOT_H
#define __TW_LINUX_REBOOT_H
#include <sys/reboot.h>
#endif
