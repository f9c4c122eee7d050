#ifndef __TW_UTMPX_H
#define __TW_UTMPX_H
#include <paths.h>
#include <stdint.h>
#include <sys/time.h>
#include <sys/types.h>
#include <utmp.h>
struct __exit_status { short int e_termination, e_exit; };
struct utmpx {
    short ut_type;
    pid_t ut_pid;
    char ut_line[32];
    char ut_id[4];
    char ut_user[32];
    char ut_host[256];
    struct __exit_status ut_exit;
    int32_t ut_session;
    struct {
        int32_t tv_sec;
        int32_t tv_usec;
    } ut_tv;
    int32_t ut_addr_v6[4];
    char __glibc_reserved[20];
};
#define UTMPX_FILE _PATH_UTMPX
#define UTMPX_FILENAME _PATH_UTMPX
#define WTMPX_FILE _PATH_WTMPX
#define WTMPX_FILENAME _PATH_WTMPX
void setutxent(void);
void endutxent(void);
struct utmpx *getutxent(void);
struct utmpx *getutxid(const struct utmpx *);
struct utmpx *getutxline(const struct utmpx *);
struct utmpx *pututxline(const struct utmpx *);
int utmpxname(const char *);
void updwtmpx(const char *, const struct utmpx *);
void getutmp(const struct utmpx *, struct utmp *);
void getutmpx(const struct utmp *, struct utmpx *);
#define _PATH_UTMPX _PATH_UTMP
#define _PATH_WTMPX _PATH_WTMP
#endif
