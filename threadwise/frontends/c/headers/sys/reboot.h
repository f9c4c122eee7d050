#ifndef __TW_SYS_REBOOT_H
#define __TW_SYS_REBOOT_H
#define RB_AUTOBOOT 0x1234567
#define RB_HALT_SYSTEM 0xcdef0123U
#define RB_ENABLE_CAD 0x89abcdefU
#define RB_DISABLE_CAD 0
#define RB_POWER_OFF 0x4321fedc
#define RB_SW_SUSPEND 0xd000fce2U
#define RB_KEXEC 0x45584543
int reboot(int);
#endif
