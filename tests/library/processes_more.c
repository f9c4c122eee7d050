// Options inside of a text are found.
//
// expect assertions: SAFE

#define _GNU_SOURCE
#include <assert.h>
#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/io.h>
#include <sys/personality.h>
#include <sys/reboot.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <sys/syscall.h>
#include <unistd.h>

static void mentioned(void)
{
    (void)wait4;
    (void)waitid;
    (void)posix_spawn;
    (void)posix_spawnp;
    (void)posix_spawn_file_actions_init;
    (void)posix_spawn_file_actions_destroy;
    (void)posix_spawn_file_actions_adddup2;
    (void)posix_spawn_file_actions_addclose;
    (void)posix_spawn_file_actions_addfchdir_np;
    (void)posix_spawn_file_actions_addopen;
    (void)posix_spawn_file_actions_addchdir_np;
    (void)posix_spawnattr_init;
    (void)posix_spawnattr_destroy;
    (void)posix_spawnattr_setflags;
    (void)posix_spawnattr_setpgroup;
    (void)posix_spawnattr_setsigmask;
    (void)posix_spawnattr_setsigdefault;
    (void)sched_getscheduler;
    (void)sched_getcpu;
    (void)sched_getaffinity;
    (void)sched_setparam;
    (void)sched_getparam;
    (void)sched_rr_get_interval;
    (void)gettid;
    assert(syscall(SYS_gettid) > 0);
    (void)get_nprocs;
    (void)get_nprocs_conf;
    (void)getdtablesize;
    (void)getauxval;
    (void)personality;
    (void)ioperm;
    (void)iopl;
    (void)reboot;
    (void)unshare;
    (void)setns;
    (void)process_vm_readv;
    (void)process_vm_writev;
    (void)putenv;
    (void)clearenv;
    (void)getsubopt;
    (void)mallinfo;
}

int main(void)
{
    char text[] = "b=1,c", *rest = text, *value;
    char *names[] = { "a", "b", NULL };
    assert(getsubopt(&rest, names, &value) == 1 && *value == '1' && *rest == 'c');
    assert(getsubopt(&rest, names, &value) == -1 && *value == 'c' && *rest == 0);
    (void)mentioned;
    return 0;
}
