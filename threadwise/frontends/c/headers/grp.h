#ifndef __TW_GRP_H
#define __TW_GRP_H
#include <sys/types.h>
struct group {
    char *gr_name;
    char *gr_passwd;
    gid_t gr_gid;
    char **gr_mem;
};
struct group *getgrnam(const char *name);
struct group *getgrgid(gid_t group);
int setgroups(size_t count, const gid_t *groups);
int initgroups(const char *name, gid_t group);
#endif
