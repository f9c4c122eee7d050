#ifndef __TW_LINUX_HDREG_H
#define __TW_LINUX_HDREG_H
#include <linux/types.h>
typedef unsigned char task_ioreg_t;
typedef unsigned long sata_ioreg_t;
union ide_reg_valid_s {
    unsigned int all : 16;
    struct {
        unsigned int data : 1;
        unsigned int error_feature : 1;
        unsigned int sector : 1;
        unsigned int nsector : 1;
        unsigned int lcyl : 1;
        unsigned int hcyl : 1;
        unsigned int select : 1;
        unsigned int status_command : 1;
        unsigned int data_hob : 1;
        unsigned int error_feature_hob : 1;
        unsigned int sector_hob : 1;
        unsigned int nsector_hob : 1;
        unsigned int lcyl_hob : 1;
        unsigned int hcyl_hob : 1;
        unsigned int select_hob : 1;
        unsigned int control_hob : 1;
    } b;
};
typedef union ide_reg_valid_s ide_reg_valid_t;
struct ide_task_request_s {
    __u8 io_ports[8];
    __u8 hob_ports[8];
    ide_reg_valid_t out_flags;
    ide_reg_valid_t in_flags;
    int data_phase;
    int req_cmd;
    unsigned long out_size;
    unsigned long in_size;
};
typedef struct ide_task_request_s ide_task_request_t;
struct ide_ioctl_request_s {
    ide_task_request_t *task_request;
    unsigned char *out_buffer;
    unsigned char *in_buffer;
};
typedef struct ide_ioctl_request_s ide_ioctl_request_t;
struct hd_drive_cmd_hdr {
    __u8 command;
    __u8 sector_number;
    __u8 feature;
    __u8 sector_count;
};
struct hd_drive_task_hdr {
    __u8 data;
    __u8 feature;
    __u8 sector_count;
    __u8 sector_number;
    __u8 low_cylinder;
    __u8 high_cylinder;
    __u8 device_head;
    __u8 command;
};
typedef struct hd_drive_task_hdr task_struct_t;
struct hd_drive_hob_hdr {
    __u8 data;
    __u8 feature;
    __u8 sector_count;
    __u8 sector_number;
    __u8 low_cylinder;
    __u8 high_cylinder;
    __u8 device_head;
    __u8 control;
};
typedef struct hd_drive_hob_hdr hob_struct_t;
struct hd_geometry {
    unsigned char heads;
    unsigned char sectors;
    unsigned short cylinders;
    unsigned long start;
};
struct hd_driveid {
    unsigned short config;
    unsigned short cyls;
    unsigned short reserved2;
    unsigned short heads;
    unsigned short track_bytes;
    unsigned short sector_bytes;
    unsigned short sectors;
    unsigned short vendor0;
    unsigned short vendor1;
    unsigned short vendor2;
    unsigned char serial_no[20];
    unsigned short buf_type;
    unsigned short buf_size;
    unsigned short ecc_bytes;
    unsigned char fw_rev[8];
    unsigned char model[40];
    unsigned char max_multsect;
    unsigned char vendor3;
    unsigned short dword_io;
    unsigned char vendor4;
    unsigned char capability;
    unsigned short reserved50;
    unsigned char vendor5;
    unsigned char tPIO;
    unsigned char vendor6;
    unsigned char tDMA;
    unsigned short field_valid;
    unsigned short cur_cyls;
    unsigned short cur_heads;
    unsigned short cur_sectors;
    unsigned short cur_capacity0;
    unsigned short cur_capacity1;
    unsigned char multsect;
    unsigned char multsect_valid;
    unsigned int lba_capacity;
    unsigned short dma_1word;
    unsigned short dma_mword;
    unsigned short eide_pio_modes;
    unsigned short eide_dma_min;
    unsigned short eide_dma_time;
    unsigned short eide_pio;
    unsigned short eide_pio_iordy;
    unsigned short words69_70[2];
    unsigned short words71_74[4];
    unsigned short queue_depth;
    unsigned short words76_79[4];
    unsigned short major_rev_num;
    unsigned short minor_rev_num;
    unsigned short command_set_1;
    unsigned short command_set_2;
    unsigned short cfsse;
    unsigned short cfs_enable_1;
    unsigned short cfs_enable_2;
    unsigned short csf_default;
    unsigned short dma_ultra;
    unsigned short trseuc;
    unsigned short trsEuc;
    unsigned short CurAPMvalues;
    unsigned short mprc;
    unsigned short hw_config;
    unsigned short acoustic;
    unsigned short msrqs;
    unsigned short sxfert;
    unsigned short sal;
    unsigned int spg;
    unsigned long long lba_capacity_2;
    unsigned short words104_125[22];
    unsigned short last_lun;
    unsigned short word127;
    unsigned short dlf;
    unsigned short csfo;
    unsigned short words130_155[26];
    unsigned short word156;
    unsigned short words157_159[3];
    unsigned short cfa_power;
    unsigned short words161_175[15];
    unsigned short words176_205[30];
    unsigned short words206_254[49];
    unsigned short integrity_word;
};
#define HDIO_DRIVE_CMD_HDR_SIZE 4UL
#define HDIO_DRIVE_HOB_HDR_SIZE 8UL
#define HDIO_DRIVE_TASK_HDR_SIZE 8UL
#define IDE_DRIVE_TASK_NO_DATA 0
#define IDE_DRIVE_TASK_INVALID (-1)
#define IDE_DRIVE_TASK_SET_XFER 1
#define IDE_DRIVE_TASK_IN 2
#define IDE_DRIVE_TASK_OUT 3
#define IDE_DRIVE_TASK_RAW_WRITE 4
#define IDE_TASKFILE_STD_IN_FLAGS 0xfe
#define IDE_HOB_STD_IN_FLAGS 0x3c
#define IDE_TASKFILE_STD_OUT_FLAGS 0xfe
#define IDE_HOB_STD_OUT_FLAGS 0x3c
#define TASKFILE_NO_DATA 0x0
#define TASKFILE_IN 0x1
#define TASKFILE_MULTI_IN 0x2
#define TASKFILE_OUT 0x4
#define TASKFILE_MULTI_OUT 0x8
#define TASKFILE_IN_OUT 0x10
#define TASKFILE_IN_DMA 0x20
#define TASKFILE_OUT_DMA 0x40
#define TASKFILE_IN_DMAQ 0x80
#define TASKFILE_OUT_DMAQ 0x100
#define TASKFILE_P_IN 0x200
#define TASKFILE_P_OUT 0x400
#define TASKFILE_P_IN_DMA 0x800
#define TASKFILE_P_OUT_DMA 0x1000
#define TASKFILE_P_IN_DMAQ 0x2000
#define TASKFILE_P_OUT_DMAQ 0x4000
#define TASKFILE_48 0x8000
#define TASKFILE_INVALID 0x7fff
#define WIN_NOP 0x0
#define CFA_REQ_EXT_ERROR_CODE 0x3
#define WIN_SRST 0x8
#define WIN_DEVICE_RESET 0x8
#define WIN_RECAL 0x10
#define WIN_RESTORE 16
#define WIN_READ 0x20
#define WIN_READ_ONCE 0x21
#define WIN_READ_LONG 0x22
#define WIN_READ_LONG_ONCE 0x23
#define WIN_READ_EXT 0x24
#define WIN_READDMA_EXT 0x25
#define WIN_READDMA_QUEUED_EXT 0x26
#define WIN_READ_NATIVE_MAX_EXT 0x27
#define WIN_MULTREAD_EXT 0x29
#define WIN_WRITE 0x30
#define WIN_WRITE_ONCE 0x31
#define WIN_WRITE_LONG 0x32
#define WIN_WRITE_LONG_ONCE 0x33
#define WIN_WRITE_EXT 0x34
#define WIN_WRITEDMA_EXT 0x35
#define WIN_WRITEDMA_QUEUED_EXT 0x36
#define WIN_SET_MAX_EXT 0x37
#define CFA_WRITE_SECT_WO_ERASE 0x38
#define WIN_MULTWRITE_EXT 0x39
#define WIN_WRITE_VERIFY 0x3c
#define WIN_VERIFY 0x40
#define WIN_VERIFY_ONCE 0x41
#define WIN_VERIFY_EXT 0x42
#define WIN_FORMAT 0x50
#define WIN_INIT 0x60
#define WIN_SEEK 0x70
#define CFA_TRANSLATE_SECTOR 0x87
#define WIN_DIAGNOSE 0x90
#define WIN_SPECIFY 0x91
#define WIN_DOWNLOAD_MICROCODE 0x92
#define WIN_STANDBYNOW2 0x94
#define WIN_STANDBY2 0x96
#define WIN_SETIDLE2 0x97
#define WIN_CHECKPOWERMODE2 0x98
#define WIN_SLEEPNOW2 0x99
#define WIN_PACKETCMD 0xa0
#define WIN_PIDENTIFY 0xa1
#define WIN_QUEUED_SERVICE 0xa2
#define WIN_SMART 0xb0
#define CFA_ERASE_SECTORS 0xc0
#define WIN_MULTREAD 0xc4
#define WIN_MULTWRITE 0xc5
#define WIN_SETMULT 0xc6
#define WIN_READDMA_QUEUED 0xc7
#define WIN_READDMA 0xc8
#define WIN_READDMA_ONCE 0xc9
#define WIN_WRITEDMA 0xca
#define WIN_WRITEDMA_ONCE 0xcb
#define WIN_WRITEDMA_QUEUED 0xcc
#define CFA_WRITE_MULTI_WO_ERASE 0xcd
#define WIN_GETMEDIASTATUS 0xda
#define WIN_ACKMEDIACHANGE 0xdb
#define WIN_POSTBOOT 0xdc
#define WIN_PREBOOT 0xdd
#define WIN_DOORLOCK 0xde
#define WIN_DOORUNLOCK 0xdf
#define WIN_STANDBYNOW1 0xe0
#define WIN_IDLEIMMEDIATE 0xe1
#define WIN_STANDBY 0xe2
#define WIN_SETIDLE1 0xe3
#define WIN_READ_BUFFER 0xe4
#define WIN_CHECKPOWERMODE1 0xe5
#define WIN_SLEEPNOW1 0xe6
#define WIN_FLUSH_CACHE 0xe7
#define WIN_WRITE_BUFFER 0xe8
#define WIN_WRITE_SAME 0xe9
#define WIN_FLUSH_CACHE_EXT 0xea
#define WIN_IDENTIFY 0xec
#define WIN_MEDIAEJECT 0xed
#define WIN_IDENTIFY_DMA 0xee
#define WIN_SETFEATURES 0xef
#define EXABYTE_ENABLE_NEST 0xf0
#define WIN_SECURITY_SET_PASS 0xf1
#define WIN_SECURITY_UNLOCK 0xf2
#define WIN_SECURITY_ERASE_PREPARE 0xf3
#define WIN_SECURITY_ERASE_UNIT 0xf4
#define WIN_SECURITY_FREEZE_LOCK 0xf5
#define WIN_SECURITY_DISABLE 0xf6
#define WIN_READ_NATIVE_MAX 0xf8
#define WIN_SET_MAX 0xf9
#define DISABLE_SEAGATE 0xfb
#define SMART_READ_VALUES 0xd0
#define SMART_READ_THRESHOLDS 0xd1
#define SMART_AUTOSAVE 0xd2
#define SMART_SAVE 0xd3
#define SMART_IMMEDIATE_OFFLINE 0xd4
#define SMART_READ_LOG_SECTOR 0xd5
#define SMART_WRITE_LOG_SECTOR 0xd6
#define SMART_WRITE_THRESHOLDS 0xd7
#define SMART_ENABLE 0xd8
#define SMART_DISABLE 0xd9
#define SMART_STATUS 0xda
#define SMART_AUTO_OFFLINE 0xdb
#define SMART_LCYL_PASS 0x4f
#define SMART_HCYL_PASS 0xc2
#define SETFEATURES_EN_8BIT 0x1
#define SETFEATURES_EN_WCACHE 0x2
#define SETFEATURES_DIS_DEFECT 0x4
#define SETFEATURES_EN_APM 0x5
#define SETFEATURES_EN_SAME_R 0x22
#define SETFEATURES_DIS_MSN 0x31
#define SETFEATURES_DIS_RETRY 0x33
#define SETFEATURES_EN_AAM 0x42
#define SETFEATURES_RW_LONG 0x44
#define SETFEATURES_SET_CACHE 0x54
#define SETFEATURES_DIS_RLA 0x55
#define SETFEATURES_EN_RI 0x5d
#define SETFEATURES_EN_SI 0x5e
#define SETFEATURES_DIS_RPOD 0x66
#define SETFEATURES_DIS_ECC 0x77
#define SETFEATURES_DIS_8BIT 0x81
#define SETFEATURES_DIS_WCACHE 0x82
#define SETFEATURES_EN_DEFECT 0x84
#define SETFEATURES_DIS_APM 0x85
#define SETFEATURES_EN_ECC 0x88
#define SETFEATURES_EN_MSN 0x95
#define SETFEATURES_EN_RETRY 0x99
#define SETFEATURES_EN_RLA 0xaa
#define SETFEATURES_PREFETCH 0xab
#define SETFEATURES_EN_REST 0xac
#define SETFEATURES_4B_RW_LONG 0xbb
#define SETFEATURES_DIS_AAM 0xc2
#define SETFEATURES_EN_RPOD 0xcc
#define SETFEATURES_DIS_RI 0xdd
#define SETFEATURES_EN_SAME_M 0xdd
#define SETFEATURES_DIS_SI 0xde
#define SECURITY_SET_PASSWORD 0xba
#define SECURITY_UNLOCK 0xbb
#define SECURITY_ERASE_PREPARE 0xbc
#define SECURITY_ERASE_UNIT 0xbd
#define SECURITY_FREEZE_LOCK 0xbe
#define SECURITY_DISABLE_PASSWORD 0xbf
#define HDIO_GETGEO 0x301
#define HDIO_GET_UNMASKINTR 0x302
#define HDIO_GET_MULTCOUNT 0x304
#define HDIO_GET_QDMA 0x305
#define HDIO_SET_XFER 0x306
#define HDIO_OBSOLETE_IDENTITY 0x307
#define HDIO_GET_KEEPSETTINGS 0x308
#define HDIO_GET_32BIT 0x309
#define HDIO_GET_NOWERR 0x30a
#define HDIO_GET_DMA 0x30b
#define HDIO_GET_NICE 0x30c
#define HDIO_GET_IDENTITY 0x30d
#define HDIO_GET_WCACHE 0x30e
#define HDIO_GET_ACOUSTIC 0x30f
#define HDIO_GET_ADDRESS 0x310
#define HDIO_GET_BUSSTATE 0x31a
#define HDIO_TRISTATE_HWIF 0x31b
#define HDIO_DRIVE_RESET 0x31c
#define HDIO_DRIVE_TASKFILE 0x31d
#define HDIO_DRIVE_TASK 0x31e
#define HDIO_DRIVE_CMD 0x31f
#define HDIO_DRIVE_CMD_AEB 798
#define HDIO_SET_MULTCOUNT 0x321
#define HDIO_SET_UNMASKINTR 0x322
#define HDIO_SET_KEEPSETTINGS 0x323
#define HDIO_SET_32BIT 0x324
#define HDIO_SET_NOWERR 0x325
#define HDIO_SET_DMA 0x326
#define HDIO_SET_PIO_MODE 0x327
#define HDIO_SCAN_HWIF 0x328
#define HDIO_UNREGISTER_HWIF 0x32a
#define HDIO_SET_NICE 0x329
#define HDIO_SET_WCACHE 0x32b
#define HDIO_SET_ACOUSTIC 0x32c
#define HDIO_SET_BUSSTATE 0x32d
#define HDIO_SET_QDMA 0x32e
#define HDIO_SET_ADDRESS 0x32f
#define IDE_NICE_DSC_OVERLAP 0
#define IDE_NICE_ATAPI_OVERLAP 1
#define IDE_NICE_1 3
#define IDE_NICE_0 2
#define IDE_NICE_2 4
#define BUSSTATE_OFF 0
#define BUSSTATE_ON 1
#define BUSSTATE_TRISTATE 2
#endif
