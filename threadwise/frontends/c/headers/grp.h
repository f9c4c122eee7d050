#ifndef __TW_GRP_H
#define __TW_GRP_H
#include <pwd.h>
#include <stddef.h>
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
typedef struct __tw_file FILE;
#define NSS_BUFLEN_GROUP 1024
void setgrent(void);
void endgrent(void);
struct group *getgrent(void);
struct group *fgetgrent(FILE *);
int putgrent(const struct group *restrict, FILE *restrict);
int getgrent_r(struct group *restrict, char *restrict, size_t, struct group **restrict);
int getgrgid_r(gid_t, struct group *restrict, char *restrict, size_t, struct group **restrict);
int getgrnam_r(const char *restrict, struct group *restrict, char *restrict, size_t,
    struct group **restrict);
int fgetgrent_r(FILE *restrict, struct group *restrict, char *restrict, size_t,
    struct group **restrict);
int getgrouplist(const char *, gid_t, gid_t *, int *);
#endif
