#ifndef __TW_LINUX_GPIO_H
#define __TW_LINUX_GPIO_H
#include <linux/types.h>
struct gpiochip_info { char name[32]; char label[32]; __u32 lines; };
enum gpio_v2_line_flag {
    GPIO_V2_LINE_FLAG_USED = 1, GPIO_V2_LINE_FLAG_ACTIVE_LOW, GPIO_V2_LINE_FLAG_INPUT = 4,
    GPIO_V2_LINE_FLAG_OUTPUT = 8, GPIO_V2_LINE_FLAG_EDGE_RISING = 16,
    GPIO_V2_LINE_FLAG_EDGE_FALLING = 32, GPIO_V2_LINE_FLAG_OPEN_DRAIN = 64,
    GPIO_V2_LINE_FLAG_OPEN_SOURCE = 128, GPIO_V2_LINE_FLAG_BIAS_PULL_UP = 256,
    GPIO_V2_LINE_FLAG_BIAS_PULL_DOWN = 512, GPIO_V2_LINE_FLAG_BIAS_DISABLED = 1024,
    GPIO_V2_LINE_FLAG_EVENT_CLOCK_REALTIME = 2048,
    GPIO_V2_LINE_FLAG_EVENT_CLOCK_HTE = 4096
};
struct gpio_v2_line_values { __u64 bits; __u64 mask; };
enum gpio_v2_line_attr_id {
    GPIO_V2_LINE_ATTR_ID_FLAGS = 1, GPIO_V2_LINE_ATTR_ID_OUTPUT_VALUES,
    GPIO_V2_LINE_ATTR_ID_DEBOUNCE
};
struct gpio_v2_line_attribute {
    __u32 id;
    __u32 padding;
    union {
        __u64 flags;
        __u64 values;
        __u32 debounce_period_us;
    };
};
struct gpio_v2_line_config_attribute { struct gpio_v2_line_attribute attr; __u64 mask; };
struct gpio_v2_line_config {
    __u64 flags;
    __u32 num_attrs;
    __u32 padding[5];
    struct gpio_v2_line_config_attribute attrs[10];
};
struct gpio_v2_line_request {
    __u32 offsets[64];
    char consumer[32];
    struct gpio_v2_line_config config;
    __u32 num_lines;
    __u32 event_buffer_size;
    __u32 padding[5];
    __s32 fd;
};
struct gpio_v2_line_info {
    char name[32];
    char consumer[32];
    __u32 offset;
    __u32 num_attrs;
    __u64 flags;
    struct gpio_v2_line_attribute attrs[10];
    __u32 padding[4];
};
enum gpio_v2_line_changed_type {
    GPIO_V2_LINE_CHANGED_REQUESTED = 1, GPIO_V2_LINE_CHANGED_RELEASED,
    GPIO_V2_LINE_CHANGED_CONFIG
};
struct gpio_v2_line_info_changed {
    struct gpio_v2_line_info info;
    __u64 timestamp_ns;
    __u32 event_type;
    __u32 padding[5];
};
enum gpio_v2_line_event_id {
    GPIO_V2_LINE_EVENT_RISING_EDGE = 1, GPIO_V2_LINE_EVENT_FALLING_EDGE
};
struct gpio_v2_line_event {
    __u64 timestamp_ns;
    __u32 id;
    __u32 offset;
    __u32 seqno;
    __u32 line_seqno;
    __u32 padding[6];
};
struct gpioline_info { __u32 line_offset; __u32 flags; char name[32]; char consumer[32]; };
struct gpioline_info_changed {
    struct gpioline_info info;
    __u64 timestamp;
    __u32 event_type;
    __u32 padding[5];
};
struct gpiohandle_request {
    __u32 lineoffsets[64];
    __u32 flags;
    __u8 default_values[64];
    char consumer_label[32];
    __u32 lines;
    int fd;
};
struct gpiohandle_config { __u32 flags; __u8 default_values[64]; __u32 padding[4]; };
struct gpiohandle_data { __u8 values[64]; };
struct gpioevent_request {
    __u32 lineoffset;
    __u32 handleflags;
    __u32 eventflags;
    char consumer_label[32];
    int fd;
};
struct gpioevent_data { __u64 timestamp; __u32 id; };
#define GPIO_MAX_NAME_SIZE 32
#define GPIO_V2_LINES_MAX 64
#define GPIO_V2_LINE_NUM_ATTRS_MAX 10
#define GPIOLINE_FLAG_KERNEL 1UL
#define GPIOLINE_FLAG_IS_OUT 2UL
#define GPIOLINE_FLAG_ACTIVE_LOW 4UL
#define GPIOLINE_FLAG_OPEN_DRAIN 8UL
#define GPIOLINE_FLAG_OPEN_SOURCE 16UL
#define GPIOLINE_FLAG_BIAS_PULL_UP 32UL
#define GPIOLINE_FLAG_BIAS_PULL_DOWN 64UL
#define GPIOLINE_FLAG_BIAS_DISABLE 128UL
#define GPIOHANDLES_MAX 64
#define GPIOHANDLE_REQUEST_INPUT 1UL
#define GPIOHANDLE_REQUEST_OUTPUT 2UL
#define GPIOHANDLE_REQUEST_ACTIVE_LOW 4UL
#define GPIOHANDLE_REQUEST_OPEN_DRAIN 8UL
#define GPIOHANDLE_REQUEST_OPEN_SOURCE 16UL
#define GPIOHANDLE_REQUEST_BIAS_PULL_UP 32UL
#define GPIOHANDLE_REQUEST_BIAS_PULL_DOWN 64UL
#define GPIOHANDLE_REQUEST_BIAS_DISABLE 128UL
#define GPIOEVENT_REQUEST_RISING_EDGE 1UL
#define GPIOEVENT_REQUEST_FALLING_EDGE 2UL
#define GPIOEVENT_REQUEST_BOTH_EDGES 3UL
#define GPIOEVENT_EVENT_RISING_EDGE 0x1
#define GPIOEVENT_EVENT_FALLING_EDGE 0x2
#define GPIO_GET_CHIPINFO_IOCTL 0x8044b401UL
#define GPIO_GET_LINEINFO_UNWATCH_IOCTL 0xc004b40cUL
#define GPIO_V2_GET_LINEINFO_IOCTL 0xc100b405UL
#define GPIO_V2_GET_LINEINFO_WATCH_IOCTL 0xc100b406UL
#define GPIO_V2_GET_LINE_IOCTL 0xc250b407UL
#define GPIO_V2_LINE_SET_CONFIG_IOCTL 0xc110b40dUL
#define GPIO_V2_LINE_GET_VALUES_IOCTL 0xc010b40eUL
#define GPIO_V2_LINE_SET_VALUES_IOCTL 0xc010b40fUL
#define GPIO_GET_LINEINFO_IOCTL 0xc048b402UL
#define GPIO_GET_LINEHANDLE_IOCTL 0xc16cb403UL
#define GPIO_GET_LINEEVENT_IOCTL 0xc030b404UL
#define GPIOHANDLE_GET_LINE_VALUES_IOCTL 0xc040b408UL
#define GPIOHANDLE_SET_LINE_VALUES_IOCTL 0xc040b409UL
#define GPIOHANDLE_SET_CONFIG_IOCTL 0xc054b40aUL
#define GPIO_GET_LINEINFO_WATCH_IOCTL 0xc048b40bUL
#define GPIOLINE_CHANGED_REQUESTED 1
#define GPIOLINE_CHANGED_RELEASED 2
#define GPIOLINE_CHANGED_CONFIG 3
#endif
