#ifndef __TW_LINUX_RTC_H
#define __TW_LINUX_RTC_H
#include <linux/types.h>
struct rtc_time {
    int tm_sec;
    int tm_min;
    int tm_hour;
    int tm_mday;
    int tm_mon;
    int tm_year;
    int tm_wday;
    int tm_yday;
    int tm_isdst;
};
struct rtc_wkalrm { unsigned char enabled; unsigned char pending; struct rtc_time time; };
struct rtc_pll_info {
    int pll_ctrl;
    int pll_value;
    int pll_max;
    int pll_min;
    int pll_posmult;
    int pll_negmult;
    long pll_clock;
};
struct rtc_param {
    __u64 param;
    union {
        __u64 uvalue;
        __s64 svalue;
        __u64 ptr;
    };
    __u32 index;
    __u32 __pad;
};
#define RTC_AIE_ON 0x7001U
#define RTC_AIE_OFF 0x7002U
#define RTC_UIE_ON 0x7003U
#define RTC_UIE_OFF 0x7004U
#define RTC_PIE_ON 0x7005U
#define RTC_PIE_OFF 0x7006U
#define RTC_WIE_ON 0x700fU
#define RTC_WIE_OFF 0x7010U
#define RTC_ALM_SET 0x40247007UL
#define RTC_ALM_READ 0x80247008UL
#define RTC_RD_TIME 0x80247009UL
#define RTC_SET_TIME 0x4024700aUL
#define RTC_IRQP_READ 0x8008700bUL
#define RTC_IRQP_SET 0x4008700cUL
#define RTC_EPOCH_READ 0x8008700dUL
#define RTC_EPOCH_SET 0x4008700eUL
#define RTC_WKALM_SET 0x4028700fUL
#define RTC_WKALM_RD 0x80287010UL
#define RTC_PLL_GET 0x80207011UL
#define RTC_PLL_SET 0x40207012UL
#define RTC_PARAM_GET 0x40187013UL
#define RTC_PARAM_SET 0x40187014UL
#define RTC_VL_DATA_INVALID 1UL
#define RTC_VL_BACKUP_LOW 2UL
#define RTC_VL_BACKUP_EMPTY 4UL
#define RTC_VL_ACCURACY_LOW 8UL
#define RTC_VL_BACKUP_SWITCH 16UL
#define RTC_VL_READ 0x80047013UL
#define RTC_VL_CLR 0x7014U
#define RTC_IRQF 0x80
#define RTC_PF 0x40
#define RTC_AF 0x20
#define RTC_UF 0x10
#define RTC_FEATURE_ALARM 0
#define RTC_FEATURE_ALARM_RES_MINUTE 1
#define RTC_FEATURE_NEED_WEEK_DAY 2
#define RTC_FEATURE_ALARM_RES_2S 3
#define RTC_FEATURE_UPDATE_INTERRUPT 4
#define RTC_FEATURE_CORRECTION 5
#define RTC_FEATURE_BACKUP_SWITCH_MODE 6
#define RTC_FEATURE_ALARM_WAKEUP_ONLY 7
#define RTC_FEATURE_CNT 8
#define RTC_PARAM_FEATURES 0
#define RTC_PARAM_CORRECTION 1
#define RTC_PARAM_BACKUP_SWITCH_MODE 2
#define RTC_BSM_DISABLED 0
#define RTC_BSM_DIRECT 1
#define RTC_BSM_LEVEL 2
#define RTC_BSM_STANDBY 3
#define RTC_MAX_FREQ 8192
#endif
