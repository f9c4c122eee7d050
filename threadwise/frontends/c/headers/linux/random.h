#ifndef __TW_LINUX_RANDOM_H
#define __TW_LINUX_RANDOM_H
#include <linux/types.h>
struct rand_pool_info { int entropy_count; int buf_size; __u32 buf[]; };
#define RNDGETENTCNT 0x80045200UL
#define RNDADDTOENTCNT 0x40045201UL
#define RNDGETPOOL 0x80085202UL
#define RNDADDENTROPY 0x40085203UL
#define RNDZAPENTCNT 0x5204U
#define RNDCLEARPOOL 0x5206U
#define RNDRESEEDCRNG 0x5207U
#endif
