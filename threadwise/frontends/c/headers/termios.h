#ifndef __TW_TERMIOS_H
#define __TW_TERMIOS_H
#include <sys/types.h>
typedef unsigned char cc_t;
typedef unsigned int speed_t;
typedef unsigned int tcflag_t;
struct termios {
    tcflag_t c_iflag, c_oflag, c_cflag, c_lflag;
    cc_t c_line;
    cc_t c_cc[32];
    speed_t c_ispeed, c_ospeed;
};
#define VTIME 5
#define VMIN 6
#define ISIG 1
#define ICANON 2
#define ECHO 8
#define ICRNL 0400
#define IXON 02000
#define OPOST 1
#define TCSANOW 0
#define TCSADRAIN 1
#define TCSAFLUSH 2
#define TCIFLUSH 0
#define B9600 13
#define B115200 4098
int tcgetattr(int file, struct termios *settings);
int tcsetattr(int file, int when, const struct termios *settings);
int tcflush(int file, int queue);
int cfsetispeed(struct termios *settings, speed_t speed);
int cfsetospeed(struct termios *settings, speed_t speed);
void cfmakeraw(struct termios *settings);
#endif
