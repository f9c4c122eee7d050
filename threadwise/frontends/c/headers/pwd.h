#ifndef __TW_PWD_H
#define __TW_PWD_H
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>
struct passwd {
    char *pw_name;
    char *pw_passwd;
    uid_t pw_uid;
    gid_t pw_gid;
    char *pw_gecos;
    char *pw_dir;
    char *pw_shell;
};
struct passwd *getpwnam(const char *name);
struct passwd *getpwuid(uid_t user);
struct passwd *getpwent(void);
void setpwent(void);
void endpwent(void);
typedef struct __tw_file FILE;
#define NSS_BUFLEN_PASSWD 1024
struct passwd *fgetpwent(FILE *);
int putpwent(const struct passwd *restrict, FILE *restrict);
int getpwent_r(struct passwd *restrict, char *restrict, size_t, struct passwd **restrict);
int getpwuid_r(uid_t, struct passwd *restrict, char *restrict, size_t, struct passwd **restrict);
int getpwnam_r(const char *restrict, struct passwd *restrict, char *restrict, size_t,
    struct passwd **restrict);
int fgetpwent_r(FILE *restrict, struct passwd *restrict, char *restrict, size_t,
    struct passwd **restrict);
int getpw(uid_t, char *);
#endif
