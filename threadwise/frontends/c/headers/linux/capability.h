#ifndef __TW_LINUX_CAPABILITY_H
#define __TW_LINUX_CAPABILITY_H
#include <linux/types.h>
typedef struct __user_cap_header_struct *cap_user_header_t;
typedef struct __user_cap_data_struct *cap_user_data_t;
struct vfs_cap_data {
    __le32 magic_etc;
    struct {
        __le32 permitted;
        __le32 inheritable;
    } data[2];
};
struct vfs_ns_cap_data {
    __le32 magic_etc;
    struct {
        __le32 permitted;
        __le32 inheritable;
    } data[2];
    __le32 rootid;
};
#define VFS_CAP_REVISION_MASK 0xff000000U
#define VFS_CAP_REVISION_SHIFT 24
#define VFS_CAP_FLAGS_MASK 16777215U
#define VFS_CAP_FLAGS_EFFECTIVE 0x1
#define VFS_CAP_REVISION_1 0x1000000
#define VFS_CAP_U32_1 1
#define XATTR_CAPS_SZ_1 12UL
#define VFS_CAP_REVISION_2 0x2000000
#define VFS_CAP_U32_2 2
#define XATTR_CAPS_SZ_2 20UL
#define VFS_CAP_REVISION_3 0x3000000
#define VFS_CAP_U32_3 2
#define XATTR_CAPS_SZ_3 24UL
#define XATTR_CAPS_SZ 24UL
#define VFS_CAP_U32 2
#define VFS_CAP_REVISION 50331648
#define CAP_CHOWN 0
#define CAP_DAC_OVERRIDE 1
#define CAP_DAC_READ_SEARCH 2
#define CAP_FOWNER 3
#define CAP_FSETID 4
#define CAP_KILL 5
#define CAP_SETGID 6
#define CAP_SETUID 7
#define CAP_SETPCAP 8
#define CAP_LINUX_IMMUTABLE 9
#define CAP_NET_BIND_SERVICE 10
#define CAP_NET_BROADCAST 11
#define CAP_NET_ADMIN 12
#define CAP_NET_RAW 13
#define CAP_IPC_LOCK 14
#define CAP_IPC_OWNER 15
#define CAP_SYS_MODULE 16
#define CAP_SYS_RAWIO 17
#define CAP_SYS_CHROOT 18
#define CAP_SYS_PTRACE 19
#define CAP_SYS_PACCT 20
#define CAP_SYS_ADMIN 21
#define CAP_SYS_BOOT 22
#define CAP_SYS_NICE 23
#define CAP_SYS_RESOURCE 24
#define CAP_SYS_TIME 25
#define CAP_SYS_TTY_CONFIG 26
#define CAP_MKNOD 27
#define CAP_LEASE 28
#define CAP_AUDIT_WRITE 29
#define CAP_AUDIT_CONTROL 30
#define CAP_SETFCAP 31
#define CAP_MAC_OVERRIDE 32
#define CAP_MAC_ADMIN 33
#define CAP_SYSLOG 34
#define CAP_WAKE_ALARM 35
#define CAP_BLOCK_SUSPEND 36
#define CAP_AUDIT_READ 37
#define CAP_PERFMON 38
#define CAP_BPF 39
#define CAP_CHECKPOINT_RESTORE 40
#define CAP_LAST_CAP 40
#endif
