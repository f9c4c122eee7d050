#ifndef __TW_LINUX_JOYSTICK_H
#define __TW_LINUX_JOYSTICK_H
#include <linux/types.h>
#include <sys/ioctl.h>
struct js_event { __u32 time; __s16 value; __u8 type; __u8 number; };
struct js_corr { __s32 coef[8]; __s16 prec; __u16 type; };
struct JS_DATA_TYPE { __s32 buttons; __s32 x; __s32 y; };
struct JS_DATA_SAVE_TYPE_32 {
    __s32 JS_TIMEOUT;
    __s32 BUSY;
    __s32 JS_EXPIRETIME;
    __s32 JS_TIMELIMIT;
    struct JS_DATA_TYPE JS_SAVE;
    struct JS_DATA_TYPE JS_CORR;
};
struct JS_DATA_SAVE_TYPE_64 {
    __s32 JS_TIMEOUT;
    __s32 BUSY;
    __s64 JS_EXPIRETIME;
    __s64 JS_TIMELIMIT;
    struct JS_DATA_TYPE JS_SAVE;
    struct JS_DATA_TYPE JS_CORR;
};
#define JS_VERSION 0x20100
#define JS_EVENT_BUTTON 0x1
#define JS_EVENT_AXIS 0x2
#define JS_EVENT_INIT 0x80
#define JSIOCGVERSION 0x80046a01UL
#define JSIOCGAXES 0x80016a11UL
#define JSIOCGBUTTONS 0x80016a12UL
#define JSIOCSCORR 0x40246a21UL
#define JSIOCGCORR 0x80246a22UL
#define JSIOCSAXMAP 0x40406a31UL
#define JSIOCGAXMAP 0x80406a32UL
#define JSIOCSBTNMAP 0x44006a33UL
#define JSIOCGBTNMAP 0x84006a34UL
#define JS_CORR_NONE 0x0
#define JS_CORR_BROKEN 0x1
#define JS_RETURN 12UL
#define JS_TRUE 1
#define JS_FALSE 0
#define JS_X_0 0x1
#define JS_Y_0 0x2
#define JS_X_1 0x4
#define JS_Y_1 0x8
#define JS_MAX 2
#define JS_DEF_TIMEOUT 0x1300
#define JS_DEF_CORR 0
#define JS_DEF_TIMELIMIT 10L
#define JS_SET_CAL 1
#define JS_GET_CAL 2
#define JS_SET_TIMEOUT 3
#define JS_GET_TIMEOUT 4
#define JS_SET_TIMELIMIT 5
#define JS_GET_TIMELIMIT 6
#define JS_GET_ALL 7
#define JS_SET_ALL 8
#define JSIOCGNAME(size) _IOC(_IOC_READ, 'j', 0x13, size)
#endif
