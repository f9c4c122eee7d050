#ifndef __TW_LINUX_INPUT_H
#define __TW_LINUX_INPUT_H
#include <linux/input-event-codes.h>
#include <linux/types.h>
#include <sys/ioctl.h>
#include <sys/time.h>
struct input_event { struct timeval time; __u16 type; __u16 code; __s32 value; };
struct input_id { __u16 bustype; __u16 vendor; __u16 product; __u16 version; };
struct input_absinfo {
    __s32 value;
    __s32 minimum;
    __s32 maximum;
    __s32 fuzz;
    __s32 flat;
    __s32 resolution;
};
struct input_keymap_entry {
    __u8 flags;
    __u8 len;
    __u16 index;
    __u32 keycode;
    __u8 scancode[32];
};
struct input_mask { __u32 type; __u32 codes_size; __u64 codes_ptr; };
struct ff_replay { __u16 length; __u16 delay; };
struct ff_trigger { __u16 button; __u16 interval; };
struct ff_envelope {
    __u16 attack_length;
    __u16 attack_level;
    __u16 fade_length;
    __u16 fade_level;
};
struct ff_constant_effect { __s16 level; struct ff_envelope envelope; };
struct ff_ramp_effect { __s16 start_level; __s16 end_level; struct ff_envelope envelope; };
struct ff_condition_effect {
    __u16 right_saturation;
    __u16 left_saturation;
    __s16 right_coeff;
    __s16 left_coeff;
    __u16 deadband;
    __s16 center;
};
struct ff_periodic_effect {
    __u16 waveform;
    __u16 period;
    __s16 magnitude;
    __s16 offset;
    __u16 phase;
    struct ff_envelope envelope;
    __u32 custom_len;
    __s16 *custom_data;
};
struct ff_rumble_effect { __u16 strong_magnitude; __u16 weak_magnitude; };
struct ff_effect {
    __u16 type;
    __s16 id;
    __u16 direction;
    struct ff_trigger trigger;
    struct ff_replay replay;
    union {
        struct ff_constant_effect constant;
        struct ff_ramp_effect ramp;
        struct ff_periodic_effect periodic;
        struct ff_condition_effect condition[2];
        struct ff_rumble_effect rumble;
    } u;
};
#define EV_VERSION 0x10001
#define INPUT_KEYMAP_BY_INDEX 1
#define EVIOCGVERSION 0x80044501UL
#define EVIOCGID 0x80084502UL
#define EVIOCGREP 0x80084503UL
#define EVIOCSREP 0x40084503UL
#define EVIOCGKEYCODE 0x80084504UL
#define EVIOCGKEYCODE_V2 0x80284504UL
#define EVIOCSKEYCODE 0x40084504UL
#define EVIOCSKEYCODE_V2 0x40284504UL
#define EVIOCSFF 0x40304580UL
#define EVIOCRMFF 0x40044581UL
#define EVIOCGEFFECTS 0x80044584UL
#define EVIOCGRAB 0x40044590UL
#define EVIOCREVOKE 0x40044591UL
#define EVIOCGMASK 0x80104592UL
#define EVIOCSMASK 0x40104593UL
#define EVIOCSCLOCKID 0x400445a0UL
#define ID_BUS 0
#define ID_VENDOR 1
#define ID_PRODUCT 2
#define ID_VERSION 3
#define BUS_PCI 0x1
#define BUS_ISAPNP 0x2
#define BUS_USB 0x3
#define BUS_HIL 0x4
#define BUS_BLUETOOTH 0x5
#define BUS_VIRTUAL 0x6
#define BUS_ISA 0x10
#define BUS_I8042 0x11
#define BUS_XTKBD 0x12
#define BUS_RS232 0x13
#define BUS_GAMEPORT 0x14
#define BUS_PARPORT 0x15
#define BUS_AMIGA 0x16
#define BUS_ADB 0x17
#define BUS_I2C 0x18
#define BUS_HOST 0x19
#define BUS_GSC 0x1a
#define BUS_ATARI 0x1b
#define BUS_SPI 0x1c
#define BUS_RMI 0x1d
#define BUS_CEC 0x1e
#define BUS_INTEL_ISHTP 0x1f
#define BUS_AMD_SFH 0x20
#define MT_TOOL_FINGER 0x0
#define MT_TOOL_PEN 0x1
#define MT_TOOL_PALM 0x2
#define MT_TOOL_DIAL 0xa
#define MT_TOOL_MAX 0xf
#define FF_STATUS_STOPPED 0x0
#define FF_STATUS_PLAYING 0x1
#define FF_STATUS_MAX 0x1
#define FF_RUMBLE 0x50
#define FF_PERIODIC 0x51
#define FF_CONSTANT 0x52
#define FF_SPRING 0x53
#define FF_FRICTION 0x54
#define FF_DAMPER 0x55
#define FF_INERTIA 0x56
#define FF_RAMP 0x57
#define FF_EFFECT_MIN 80
#define FF_EFFECT_MAX 87
#define FF_SQUARE 0x58
#define FF_TRIANGLE 0x59
#define FF_SINE 0x5a
#define FF_SAW_UP 0x5b
#define FF_SAW_DOWN 0x5c
#define FF_CUSTOM 0x5d
#define FF_WAVEFORM_MIN 88
#define FF_WAVEFORM_MAX 93
#define FF_GAIN 0x60
#define FF_AUTOCENTER 0x61
#define FF_MAX_EFFECTS 96
#define FF_MAX 0x7f
#define FF_CNT 128
#define input_event_sec time.tv_sec
#define input_event_usec time.tv_usec
#define EVIOCGNAME(size) _IOC(_IOC_READ, 'E', 0x06, size)
#define EVIOCGPHYS(size) _IOC(_IOC_READ, 'E', 0x07, size)
#define EVIOCGUNIQ(size) _IOC(_IOC_READ, 'E', 0x08, size)
#define EVIOCGPROP(size) _IOC(_IOC_READ, 'E', 0x09, size)
#define EVIOCGKEY(size) _IOC(_IOC_READ, 'E', 0x18, size)
#define EVIOCGLED(size) _IOC(_IOC_READ, 'E', 0x19, size)
#define EVIOCGSND(size) _IOC(_IOC_READ, 'E', 0x1a, size)
#define EVIOCGSW(size) _IOC(_IOC_READ, 'E', 0x1b, size)
#define EVIOCGBIT(event, size) _IOC(_IOC_READ, 'E', 0x20 + (event), size)
#define EVIOCGABS(axis) _IOR('E', 0x40 + (axis), struct input_absinfo)
#define EVIOCSABS(axis) _IOW('E', 0xc0 + (axis), struct input_absinfo)
#endif
