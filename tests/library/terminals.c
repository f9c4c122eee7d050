// What has a static buffer races.
//
// expect races: UNSAFE

#define _GNU_SOURCE
#include <assert.h>
#include <mntent.h>
#include <pthread.h>
#include <pty.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>
#include <utmp.h>
#include <utmpx.h>

static void mentioned(void)
{
    (void)tcdrain;
    (void)tcsendbreak;
    (void)tcflow;
    (void)grantpt;
    (void)unlockpt;
    (void)login_tty;
    (void)cfgetispeed;
    (void)cfgetospeed;
    (void)cfsetspeed;
    (void)posix_openpt;
    (void)getpt;
    (void)ptsname;
    (void)ptsname_r;
    (void)openpty;
    (void)forkpty;
    (void)setmntent;
    (void)endmntent;
    (void)getmntent;
    (void)getmntent_r;
    (void)hasmntopt;
    (void)addmntent;
    (void)getutent;
    (void)setutent;
    (void)endutent;
    (void)pututline;
    (void)getutxent;
    (void)setutxent;
    (void)endutxent;
    (void)pututxline;
    (void)utmpname;
    (void)updwtmp;
}

static void *work(void *unused)
{
    setutent();
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    work(NULL);
    pthread_join(thread, NULL);
    (void)mentioned;
    return 0;
}
