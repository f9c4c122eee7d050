// Users are written where one is told; what has a static buffer races.
// Inputs are sampled: that no assertion fails is no proof.
//
// expect assertions: UNKNOWN
// expect -D STATIC races: UNSAFE
// expect -D OWN races: SAFE
// expect -D SHARED races: UNSAFE

#define _GNU_SOURCE
#include <assert.h>
#include <crypt.h>
#include <grp.h>
#include <pthread.h>
#include <pwd.h>
#include <shadow.h>
#include <stddef.h>
#include <sys/fsuid.h>
#include <sys/types.h>
#include <unistd.h>

static void mentioned(void)
{
    (void)getpwuid_r;
    (void)getpwnam_r;
    (void)getpwent_r;
    (void)getgrgid_r;
    (void)getgrnam_r;
    (void)getgrent;
    (void)setgrent;
    (void)endgrent;
    (void)getgrouplist;
    (void)getspnam;
    (void)crypt;
    (void)crypt_r;
    (void)getpass;
    (void)getlogin_r;
    (void)ttyname_r;
    (void)getdomainname;
    (void)setdomainname;
    (void)setresuid;
    (void)getresuid;
    (void)setfsuid;
    (void)setresgid;
    (void)getresgid;
    (void)setfsgid;
    (void)group_member;
}

static char shared[1];

static void *work(void *unused)
{
#ifdef STATIC
    crypt("key", "salt");
#else
    struct passwd user, *result;
    char own[1];
    (void)own;
#ifdef SHARED
    getpwuid_r(1, &user, shared, sizeof shared, &result);
#else
    getpwuid_r(1, &user, own, sizeof own, &result);
#endif
#endif
    return unused;
}

int main(void)
{
#if defined(STATIC) || defined(OWN) || defined(SHARED)
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    work(NULL);
    pthread_join(thread, NULL);
#else
    struct passwd user, *result;
    int error = getpwuid_r(7, &user, shared, sizeof shared, &result);
    if (error == 0 && result)
        assert(result == &user && user.pw_uid == 7 && user.pw_name >= shared);
    else
        assert(result == NULL);
    (void)work;
#endif
    (void)mentioned;
    return 0;
}
