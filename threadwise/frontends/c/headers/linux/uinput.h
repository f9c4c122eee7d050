#ifndef __TW_LINUX_UINPUT_H
#define __TW_LINUX_UINPUT_H
#include <linux/input.h>
#include <linux/types.h>
struct uinput_ff_upload {
    __u32 request_id;
    __s32 retval;
    struct ff_effect effect;
    struct ff_effect old;
};
struct uinput_ff_erase { __u32 request_id; __s32 retval; __u32 effect_id; };
struct uinput_setup { struct input_id id; char name[80]; __u32 ff_effects_max; };
struct uinput_abs_setup { __u16 code; struct input_absinfo absinfo; };
struct uinput_user_dev {
    char name[80];
    struct input_id id;
    __u32 ff_effects_max;
    __s32 absmax[64];
    __s32 absmin[64];
    __s32 absfuzz[64];
    __s32 absflat[64];
};
#define UINPUT_VERSION 5
#define UINPUT_MAX_NAME_SIZE 80
#define UINPUT_IOCTL_BASE 85
#define UI_DEV_CREATE 21761U
#define UI_DEV_DESTROY 21762U
#define UI_DEV_SETUP 1079792899UL
#define UI_ABS_SETUP 1075598596UL
#define UI_SET_EVBIT 1074025828UL
#define UI_SET_KEYBIT 1074025829UL
#define UI_SET_RELBIT 1074025830UL
#define UI_SET_ABSBIT 1074025831UL
#define UI_SET_MSCBIT 1074025832UL
#define UI_SET_LEDBIT 1074025833UL
#define UI_SET_SNDBIT 1074025834UL
#define UI_SET_FFBIT 1074025835UL
#define UI_SET_PHYS 1074287980UL
#define UI_SET_SWBIT 1074025837UL
#define UI_SET_PROPBIT 1074025838UL
#define UI_BEGIN_FF_UPLOAD 3228063176UL
#define UI_END_FF_UPLOAD 1080579529UL
#define UI_BEGIN_FF_ERASE 3222033866UL
#define UI_END_FF_ERASE 1074550219UL
#define UI_GET_VERSION 2147767597UL
#define EV_UINPUT 0x101
#define UI_FF_UPLOAD 1
#define UI_FF_ERASE 2
#endif
