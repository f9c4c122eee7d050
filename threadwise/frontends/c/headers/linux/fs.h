#ifndef __TW_LINUX_FS_H
#define __TW_LINUX_FS_H
#include <linux/types.h>
struct file_clone_range {
    __s64 src_fd;
    __u64 src_offset;
    __u64 src_length;
    __u64 dest_offset;
};
struct fstrim_range { __u64 start; __u64 len; __u64 minlen; };
struct file_dedupe_range_info {
    __s64 dest_fd;
    __u64 dest_offset;
    __u64 bytes_deduped;
    __s32 status;
    __u32 reserved;
};
struct file_dedupe_range {
    __u64 src_offset;
    __u64 src_length;
    __u16 dest_count;
    __u16 reserved1;
    __u32 reserved2;
    struct file_dedupe_range_info info[];
};
struct files_stat_struct {
    unsigned long nr_files;
    unsigned long nr_free_files;
    unsigned long max_files;
};
struct inodes_stat_t { long nr_inodes; long nr_unused; long dummy[5]; };
struct fsxattr {
    __u32 fsx_xflags;
    __u32 fsx_extsize;
    __u32 fsx_nextents;
    __u32 fsx_projid;
    __u32 fsx_cowextsize;
    unsigned char fsx_pad[8];
};
typedef int __kernel_rwf_t;
#define INR_OPEN_CUR 1024
#define INR_OPEN_MAX 4096
#define SEEK_MAX 4
#define FILE_DEDUPE_RANGE_SAME 0
#define FILE_DEDUPE_RANGE_DIFFERS 1
#define NR_FILE 8192
#define FS_XFLAG_REALTIME 0x1
#define FS_XFLAG_PREALLOC 0x2
#define FS_XFLAG_IMMUTABLE 0x8
#define FS_XFLAG_APPEND 0x10
#define FS_XFLAG_SYNC 0x20
#define FS_XFLAG_NOATIME 0x40
#define FS_XFLAG_NODUMP 0x80
#define FS_XFLAG_RTINHERIT 0x100
#define FS_XFLAG_PROJINHERIT 0x200
#define FS_XFLAG_NOSYMLINKS 0x400
#define FS_XFLAG_EXTSIZE 0x800
#define FS_XFLAG_EXTSZINHERIT 0x1000
#define FS_XFLAG_NODEFRAG 0x2000
#define FS_XFLAG_FILESTREAM 0x4000
#define FS_XFLAG_DAX 0x8000
#define FS_XFLAG_COWEXTSIZE 0x10000
#define FS_XFLAG_HASATTR 0x80000000U
#define BLKTRACESTART 0x1274U
#define BLKTRACESTOP 0x1275U
#define BLKTRACETEARDOWN 0x1276U
#define BLKDISCARD 0x1277U
#define BLKIOMIN 0x1278U
#define BLKIOOPT 0x1279U
#define BLKALIGNOFF 0x127aU
#define BLKPBSZGET 0x127bU
#define BLKDISCARDZEROES 0x127cU
#define BLKSECDISCARD 0x127dU
#define BLKROTATIONAL 0x127eU
#define BLKZEROOUT 0x127fU
#define BLKGETDISKSEQ 0x80081280UL
#define BMAP_IOCTL 1
#define FIBMAP 0x1U
#define FIGETBSZ 0x2U
#define FIFREEZE 3221510263UL
#define FITHAW 3221510264UL
#define FITRIM 3222820985UL
#define FICLONE 0x40049409UL
#define FICLONERANGE 0x4020940dUL
#define FIDEDUPERANGE 0xc0189436UL
#define FSLABEL_MAX 256
#define FS_IOC_GETFLAGS 2148034049UL
#define FS_IOC_SETFLAGS 1074292226UL
#define FS_IOC_GETVERSION 2148038145UL
#define FS_IOC_SETVERSION 1074296322UL
#define FS_IOC32_GETFLAGS 2147771905UL
#define FS_IOC32_SETFLAGS 1074030082UL
#define FS_IOC32_GETVERSION 2147776001UL
#define FS_IOC32_SETVERSION 1074034178UL
#define FS_IOC_FSGETXATTR 2149341215UL
#define FS_IOC_FSSETXATTR 1075599392UL
#define FS_IOC_GETFSLABEL 0x81009431UL
#define FS_IOC_SETFSLABEL 0x41009432UL
#define FS_SECRM_FL 0x1
#define FS_UNRM_FL 0x2
#define FS_COMPR_FL 0x4
#define FS_SYNC_FL 0x8
#define FS_IMMUTABLE_FL 0x10
#define FS_APPEND_FL 0x20
#define FS_NODUMP_FL 0x40
#define FS_NOATIME_FL 0x80
#define FS_DIRTY_FL 0x100
#define FS_COMPRBLK_FL 0x200
#define FS_NOCOMP_FL 0x400
#define FS_ENCRYPT_FL 0x800
#define FS_BTREE_FL 0x1000
#define FS_INDEX_FL 0x1000
#define FS_IMAGIC_FL 0x2000
#define FS_JOURNAL_DATA_FL 0x4000
#define FS_NOTAIL_FL 0x8000
#define FS_DIRSYNC_FL 0x10000
#define FS_TOPDIR_FL 0x20000
#define FS_HUGE_FILE_FL 0x40000
#define FS_EXTENT_FL 0x80000
#define FS_VERITY_FL 0x100000
#define FS_EA_INODE_FL 0x200000
#define FS_EOFBLOCKS_FL 0x400000
#define FS_NOCOW_FL 0x800000
#define FS_DAX_FL 0x2000000
#define FS_INLINE_DATA_FL 0x10000000
#define FS_PROJINHERIT_FL 0x20000000
#define FS_CASEFOLD_FL 0x40000000
#define FS_RESERVED_FL 0x80000000U
#define FS_FL_USER_VISIBLE 0x3dfff
#define FS_FL_USER_MODIFIABLE 0x380ff
#define RWF_SUPPORTED 31
#define BLKROSET 0x125d
#define BLKROGET 0x125e
#define BLKRRPART 0x125f
#define BLKGETSIZE 0x1260
#define BLKFLSBUF 0x1261
#define BLKRASET 0x1262
#define BLKRAGET 0x1263
#define BLKFRASET 0x1264
#define BLKFRAGET 0x1265
#define BLKSECTSET 0x1266
#define BLKSECTGET 0x1267
#define BLKSSZGET 0x1268
#define BLKBSZGET 0x80081270
#define BLKBSZSET 0x40081271
#define BLKGETSIZE64 0x80081272
#endif
