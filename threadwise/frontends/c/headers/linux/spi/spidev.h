#ifndef __TW_LINUX_SPI_SPIDEV_H
#define __TW_LINUX_SPI_SPIDEV_H
#include <linux/types.h>
#include <sys/ioctl.h>
struct spi_ioc_transfer {
    __u64 tx_buf;
    __u64 rx_buf;
    __u32 len;
    __u32 speed_hz;
    __u16 delay_usecs;
    __u8 bits_per_word;
    __u8 cs_change;
    __u8 tx_nbits;
    __u8 rx_nbits;
    __u8 word_delay_usecs;
    __u8 pad;
};
#define SPI_IOC_MAGIC 107
#define SPI_IOC_RD_MODE 2147576577UL
#define SPI_IOC_WR_MODE 1073834753UL
#define SPI_IOC_RD_LSB_FIRST 2147576578UL
#define SPI_IOC_WR_LSB_FIRST 1073834754UL
#define SPI_IOC_RD_BITS_PER_WORD 2147576579UL
#define SPI_IOC_WR_BITS_PER_WORD 1073834755UL
#define SPI_IOC_RD_MAX_SPEED_HZ 2147773188UL
#define SPI_IOC_WR_MAX_SPEED_HZ 1074031364UL
#define SPI_IOC_RD_MODE32 2147773189UL
#define SPI_IOC_WR_MODE32 1074031365UL
#define SPI_MSGSIZE(count) \
    ((count) * sizeof(struct spi_ioc_transfer) < (1 << 14) \
         ? (count) * sizeof(struct spi_ioc_transfer) \
         : 0)
#define SPI_IOC_MESSAGE(count) _IOW(SPI_IOC_MAGIC, 0, char[SPI_MSGSIZE(count)])
#endif
