#ifndef __TW_LINUX_HIDRAW_H
#define __TW_LINUX_HIDRAW_H
#include <linux/types.h>
struct hidraw_report_descriptor { __u32 size; __u8 value[4096]; };
struct hidraw_devinfo { __u32 bustype; __s16 vendor; __s16 product; };
#define HIDRAW_FIRST_MINOR 0
#define HIDRAW_MAX_DEVICES 64
#define HIDRAW_BUFFER_SIZE 64
#define HIDIOCGRDESC 0x90044802
#define HIDIOCGRDESCSIZE 0x80044801
#define HIDIOCGRAWINFO 0x80084803
#endif
