// A network driver: transmit, interrupt, control and stop share rings and statistics under a spin lock.
//
// expect races: SAFE

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define RING 32
#define IRQ_TX 1u
#define IRQ_RX 2u
#define IRQ_LINK 4u

struct desc {
    uint32_t addr;
    uint16_t len;
    uint16_t flags;
};

struct stats {
    unsigned long tx_packets, tx_bytes, rx_packets, tx_dropped;
};

struct netdev {
    pthread_spinlock_t lock;
    struct desc tx[RING];
    struct desc rx[RING];
    unsigned tx_head, tx_tail;
    unsigned rx_next;
    int up, link, stopped;
    unsigned mtu;
    struct stats stats;
};

static struct netdev dev;

extern uint32_t read_status(void);
extern void write_reg(unsigned reg, uint32_t value);

int net_probe(void)
{
    memset(&dev, 0, sizeof dev);
    pthread_spin_init(&dev.lock, PTHREAD_PROCESS_PRIVATE);
    dev.mtu = 1500;
    return 0;
}

static unsigned tx_space(const struct netdev *d)
{
    return RING - (d->tx_head - d->tx_tail);
}

int net_open(void)
{
    struct netdev *d = &dev;

    pthread_spin_lock(&d->lock);
    if (d->up) {
        pthread_spin_unlock(&d->lock);
        return -1;
    }
    d->tx_head = d->tx_tail = d->rx_next = 0;
    for (int i = 0; i < RING; i++)
        d->rx[i].flags = 1;
    d->up = 1;
    d->stopped = 0;
    write_reg(0, 1);
    pthread_spin_unlock(&d->lock);
    return 0;
}

int net_xmit(uint32_t addr, uint16_t len)
{
    struct netdev *d = &dev;
    struct desc *slot;

    pthread_spin_lock(&d->lock);
    if (!d->up || d->stopped || len > d->mtu) {
        d->stats.tx_dropped++;
        pthread_spin_unlock(&d->lock);
        return -1;
    }
    slot = &d->tx[d->tx_head % RING];
    slot->addr = addr;
    slot->len = len;
    slot->flags = 1;
    d->tx_head++;
    if (tx_space(d) == 0)
        d->stopped = 1;
    d->stats.tx_packets++;
    d->stats.tx_bytes += len;
    pthread_spin_unlock(&d->lock);
    return 0;
}

static void reclaim(struct netdev *d)
{
    while (d->tx_tail != d->tx_head) {
        struct desc *slot = &d->tx[d->tx_tail % RING];

        if (slot->flags != 0)
            break;
        slot->len = 0;
        d->tx_tail++;
    }
    if (d->stopped && tx_space(d) > RING / 4)
        d->stopped = 0;
}

static void receive(struct netdev *d)
{
    int budget = 16;

    while (budget-- > 0) {
        struct desc *slot = &d->rx[d->rx_next % RING];

        if (slot->flags != 0)
            break;
        d->stats.rx_packets++;
        slot->flags = 1;
        d->rx_next++;
    }
}

void net_irq(void)
{
    struct netdev *d = &dev;
    uint32_t status = read_status();

    if (status == 0)
        return;
    pthread_spin_lock(&d->lock);
    if (status & IRQ_TX)
        reclaim(d);
    if (status & IRQ_RX)
        receive(d);
    if (status & IRQ_LINK)
        d->link = !d->link;
    pthread_spin_unlock(&d->lock);
    write_reg(4, status);
}

int net_ioctl(int cmd, unsigned value, struct stats *out)
{
    struct netdev *d = &dev;
    int err = 0;

    pthread_spin_lock(&d->lock);
    switch (cmd) {
    case 1:
        if (value < 68 || value > 9000)
            err = -22;
        else
            d->mtu = value;
        break;
    case 2:
        if (out != NULL)
            *out = d->stats;
        break;
    case 3:
        memset(&d->stats, 0, sizeof d->stats);
        break;
    default:
        err = -25;
    }
    pthread_spin_unlock(&d->lock);
    return err;
}

void net_stop(void)
{
    struct netdev *d = &dev;

    pthread_spin_lock(&d->lock);
    d->up = 0;
    d->stopped = 1;
    pthread_spin_unlock(&d->lock);
    write_reg(0, 0);
}
