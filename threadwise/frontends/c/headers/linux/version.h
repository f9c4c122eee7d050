#ifndef __TW_LINUX_VERSION_H
#define __TW_LINUX_VERSION_H
#define LINUX_VERSION_CODE 393659
#define LINUX_VERSION_MAJOR 6
#define LINUX_VERSION_PATCHLEVEL 1
#define LINUX_VERSION_SUBLEVEL 187
#define KERNEL_VERSION(a, b, c) (((a) << 16) + ((b) << 8) + ((c) > 255 ? 255 : (c)))
#endif
