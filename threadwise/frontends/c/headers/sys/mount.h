#ifndef __TW_SYS_MOUNT_H
#define __TW_SYS_MOUNT_H
#include <stddef.h>
#define BLOCK_SIZE_BITS 10
#define BLOCK_SIZE 1024
#define MS_RDONLY 1
#define MS_NOSUID 2
#define MS_NODEV 4
#define MS_NOEXEC 8
#define MS_SYNCHRONOUS 16
#define MS_REMOUNT 32
#define MS_MANDLOCK 64
#define MS_DIRSYNC 128
#define MS_NOSYMFOLLOW 256
#define MS_NOATIME 1024
#define MS_NODIRATIME 2048
#define MS_BIND 4096
#define MS_MOVE 8192
#define MS_REC 16384
#define MS_SILENT 32768
#define MS_POSIXACL 65536
#define MS_UNBINDABLE 131072
#define MS_PRIVATE 262144
#define MS_SLAVE 524288
#define MS_SHARED 1048576
#define MS_RELATIME 2097152
#define MS_KERNMOUNT 4194304
#define MS_I_VERSION 8388608
#define MS_STRICTATIME 16777216
#define MS_LAZYTIME 33554432
#define MS_ACTIVE 1073741824
#define MS_NOUSER (-2147483647 - 1)
#define MS_RMT_MASK 41943121
#define MS_MGC_VAL 0xc0ed0000U
#define MS_MGC_MSK 0xffff0000U
#define BLKROSET 0x125dU
#define BLKROGET 0x125eU
#define BLKRRPART 0x125fU
#define BLKGETSIZE 0x1260U
#define BLKFLSBUF 0x1261U
#define BLKRASET 0x1262U
#define BLKRAGET 0x1263U
#define BLKFRASET 0x1264U
#define BLKFRAGET 0x1265U
#define BLKSECTSET 0x1266U
#define BLKSECTGET 0x1267U
#define BLKSSZGET 0x1268U
#define BLKBSZGET 0x80081270UL
#define BLKBSZSET 0x40081271UL
#define BLKGETSIZE64 0x80081272UL
#define MNT_FORCE 1
#define MNT_DETACH 2
#define MNT_EXPIRE 4
#define UMOUNT_NOFOLLOW 8
#define FSMOUNT_CLOEXEC 0x1
#define MOUNT_ATTR_RDONLY 0x1
#define MOUNT_ATTR_NOSUID 0x2
#define MOUNT_ATTR_NODEV 0x4
#define MOUNT_ATTR_NOEXEC 0x8
#define MOUNT_ATTR__ATIME 0x70
#define MOUNT_ATTR_RELATIME 0x0
#define MOUNT_ATTR_NOATIME 0x10
#define MOUNT_ATTR_STRICTATIME 0x20
#define MOUNT_ATTR_NODIRATIME 0x80
#define MOUNT_ATTR_IDMAP 0x100000
#define MOUNT_ATTR_NOSYMFOLLOW 0x200000
#define MOUNT_ATTR_SIZE_VER0 32
#define MOVE_MOUNT_F_SYMLINKS 0x1
#define MOVE_MOUNT_F_AUTOMOUNTS 0x2
#define MOVE_MOUNT_F_EMPTY_PATH 0x4
#define MOVE_MOUNT_T_SYMLINKS 0x10
#define MOVE_MOUNT_T_AUTOMOUNTS 0x20
#define MOVE_MOUNT_T_EMPTY_PATH 0x40
#define MOVE_MOUNT_SET_GROUP 0x100
#define FSPICK_CLOEXEC 0x1
#define FSPICK_SYMLINK_NOFOLLOW 0x2
#define FSPICK_NO_AUTOMOUNT 0x4
#define FSPICK_EMPTY_PATH 0x8
#define FSOPEN_CLOEXEC 0x1
#define OPEN_TREE_CLONE 1
#define OPEN_TREE_CLOEXEC 524288
int mount(const char *, const char *, const char *, unsigned long, const void *);
int umount(const char *);
int umount2(const char *, int);
int fsopen(const char *, unsigned int);
int fsmount(int, unsigned int, unsigned int);
int move_mount(int, const char *, int, const char *, unsigned int);
int fsconfig(int, unsigned int, const char *, const void *, int);
int fspick(int, const char *, unsigned int);
int open_tree(int, const char *, unsigned int);
int mount_setattr(int, const char *, unsigned int, struct mount_attr *, size_t);
#endif
