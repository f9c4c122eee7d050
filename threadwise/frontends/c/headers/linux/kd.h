#ifndef __TW_LINUX_KD_H
#define __TW_LINUX_KD_H
struct consolefontdesc {
    unsigned short charcount;
    unsigned short charheight;
    char *chardata;
};
typedef char scrnmap_t;
struct unipair { unsigned short unicode; unsigned short fontpos; };
struct unimapdesc { unsigned short entry_ct; struct unipair *entries; };
struct unimapinit {
    unsigned short advised_hashsize;
    unsigned short advised_hashstep;
    unsigned short advised_hashlevel;
};
struct kbentry {
    unsigned char kb_table;
    unsigned char kb_index;
    unsigned short kb_value;
};
struct kbsentry { unsigned char kb_func; unsigned char kb_string[512]; };
struct kbdiacr { unsigned char diacr; unsigned char base; unsigned char result; };
struct kbdiacrs { unsigned int kb_cnt; struct kbdiacr kbdiacr[256]; };
struct kbdiacruc { unsigned int diacr; unsigned int base; unsigned int result; };
struct kbdiacrsuc { unsigned int kb_cnt; struct kbdiacruc kbdiacruc[256]; };
struct kbkeycode { unsigned int scancode; unsigned int keycode; };
struct kbd_repeat { int delay; int period; };
struct console_font_op {
    unsigned int op;
    unsigned int flags;
    unsigned int width;
    unsigned int height;
    unsigned int charcount;
    unsigned char *data;
};
struct console_font {
    unsigned int width;
    unsigned int height;
    unsigned int charcount;
    unsigned char *data;
};
#define GIO_FONT 0x4b60
#define PIO_FONT 0x4b61
#define GIO_FONTX 0x4b6b
#define PIO_FONTX 0x4b6c
#define PIO_FONTRESET 0x4b6d
#define GIO_CMAP 0x4b70
#define PIO_CMAP 0x4b71
#define KIOCSOUND 0x4b2f
#define KDMKTONE 0x4b30
#define KDGETLED 0x4b31
#define KDSETLED 0x4b32
#define LED_SCR 0x1
#define LED_NUM 0x2
#define LED_CAP 0x4
#define KDGKBTYPE 0x4b33
#define KB_84 0x1
#define KB_101 0x2
#define KB_OTHER 0x3
#define KDADDIO 0x4b34
#define KDDELIO 0x4b35
#define KDENABIO 0x4b36
#define KDDISABIO 0x4b37
#define KDSETMODE 0x4b3a
#define KD_TEXT 0x0
#define KD_GRAPHICS 0x1
#define KD_TEXT0 0x2
#define KD_TEXT1 0x3
#define KDGETMODE 0x4b3b
#define KDMAPDISP 0x4b3c
#define KDUNMAPDISP 0x4b3d
#define E_TABSZ 256
#define GIO_SCRNMAP 0x4b40
#define PIO_SCRNMAP 0x4b41
#define GIO_UNISCRNMAP 0x4b69
#define PIO_UNISCRNMAP 0x4b6a
#define GIO_UNIMAP 0x4b66
#define PIO_UNIMAP 0x4b67
#define PIO_UNIMAPCLR 0x4b68
#define UNI_DIRECT_BASE 0xf000
#define UNI_DIRECT_MASK 0x1ff
#define K_RAW 0x0
#define K_XLATE 0x1
#define K_MEDIUMRAW 0x2
#define K_UNICODE 0x3
#define K_OFF 0x4
#define KDGKBMODE 0x4b44
#define KDSKBMODE 0x4b45
#define K_METABIT 0x3
#define K_ESCPREFIX 0x4
#define KDGKBMETA 0x4b62
#define KDSKBMETA 0x4b63
#define K_SCROLLLOCK 0x1
#define K_NUMLOCK 0x2
#define K_CAPSLOCK 0x4
#define KDGKBLED 0x4b64
#define KDSKBLED 0x4b65
#define K_NORMTAB 0x0
#define K_SHIFTTAB 0x1
#define K_ALTTAB 0x2
#define K_ALTSHIFTTAB 0x3
#define KDGKBENT 0x4b46
#define KDSKBENT 0x4b47
#define KDGKBSENT 0x4b48
#define KDSKBSENT 0x4b49
#define KDGKBDIACR 0x4b4a
#define KDSKBDIACR 0x4b4b
#define KDGKBDIACRUC 0x4bfa
#define KDSKBDIACRUC 0x4bfb
#define KDGETKEYCODE 0x4b4c
#define KDSETKEYCODE 0x4b4d
#define KDSIGACCEPT 0x4b4e
#define KDKBDREP 0x4b52
#define KDFONTOP 0x4b72
#define KD_FONT_OP_SET 0
#define KD_FONT_OP_GET 1
#define KD_FONT_OP_SET_DEFAULT 2
#define KD_FONT_OP_COPY 3
#define KD_FONT_FLAG_DONT_RECALC 1
#endif
