#ifndef __TW_LINUX_SECCOMP_H
#define __TW_LINUX_SECCOMP_H
#include <linux/types.h>
struct seccomp_data { int nr; __u32 arch; __u64 instruction_pointer; __u64 args[6]; };
struct seccomp_notif_sizes {
    __u16 seccomp_notif;
    __u16 seccomp_notif_resp;
    __u16 seccomp_data;
};
struct seccomp_notif { __u64 id; __u32 pid; __u32 flags; struct seccomp_data data; };
struct seccomp_notif_resp { __u64 id; __s64 val; __s32 error; __u32 flags; };
struct seccomp_notif_addfd {
    __u64 id;
    __u32 flags;
    __u32 srcfd;
    __u32 newfd;
    __u32 newfd_flags;
};
#define SECCOMP_MODE_DISABLED 0
#define SECCOMP_MODE_STRICT 1
#define SECCOMP_MODE_FILTER 2
#define SECCOMP_SET_MODE_STRICT 0
#define SECCOMP_SET_MODE_FILTER 1
#define SECCOMP_GET_ACTION_AVAIL 2
#define SECCOMP_GET_NOTIF_SIZES 3
#define SECCOMP_FILTER_FLAG_TSYNC 1UL
#define SECCOMP_FILTER_FLAG_LOG 2UL
#define SECCOMP_FILTER_FLAG_SPEC_ALLOW 4UL
#define SECCOMP_FILTER_FLAG_NEW_LISTENER 8UL
#define SECCOMP_FILTER_FLAG_TSYNC_ESRCH 16UL
#define SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV 32UL
#define SECCOMP_RET_KILL_PROCESS 0x80000000U
#define SECCOMP_RET_KILL_THREAD 0x0U
#define SECCOMP_RET_KILL 0U
#define SECCOMP_RET_TRAP 0x30000U
#define SECCOMP_RET_ERRNO 0x50000U
#define SECCOMP_RET_USER_NOTIF 0x7fc00000U
#define SECCOMP_RET_TRACE 0x7ff00000U
#define SECCOMP_RET_LOG 0x7ffc0000U
#define SECCOMP_RET_ALLOW 0x7fff0000U
#define SECCOMP_RET_ACTION_FULL 0xffff0000U
#define SECCOMP_RET_ACTION 0x7fff0000U
#define SECCOMP_RET_DATA 0xffffU
#define SECCOMP_USER_NOTIF_FLAG_CONTINUE 1UL
#define SECCOMP_ADDFD_FLAG_SETFD 1UL
#define SECCOMP_ADDFD_FLAG_SEND 2UL
#define SECCOMP_IOC_MAGIC 33
#endif
