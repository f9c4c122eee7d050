#ifndef __TW_TTYENT_H
#define __TW_TTYENT_H
struct ttyent {
    char *ty_name;
    char *ty_getty;
    char *ty_type;
    int ty_status;
    char *ty_window;
    char *ty_comment;
};
#define _PATH_TTYS "/etc/ttys"
#define TTY_ON 0x1
#define TTY_SECURE 0x2
struct ttyent *getttyent(void);
struct ttyent *getttynam(const char *);
int setttyent(void);
int endttyent(void);
#endif
