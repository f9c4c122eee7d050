// A network driver of 55 units; 36 of them protect data by state.
// Made by benchmarks/hjmq/generate.py.
// check with: --entry-init probe --entry tx_account,tx_counter,tx_clear,tx_submit,tx_peek,tx_refusals,nic_open,nic_close,nic_ioctl,rx_interrupt,rx_configure,cmd_post,cmd_fetch,filter_fast,filter_slow,filter_switch,boot_load,boot_inquire,mcast_add,mcast_remove,mcast_lookup,link_event,link_is_broken,link_history,rx_account,rx_counter,rx_clear,mii_submit,mii_peek,mii_refusals,phy_open,phy_close,phy_ioctl,event_post,event_fetch,timer_interrupt,timer_configure,autoneg_event,autoneg_is_done,autoneg_history,vlan_add,vlan_remove,vlan_lookup,queue_fast,queue_slow,queue_switch,micro_load,micro_inquire,nvram_submit,nvram_peek,nvram_refusals,bus_account,bus_counter,bus_clear,wol_open,wol_close,wol_ioctl,mac_interrupt,mac_configure,power_event,power_is_waking,power_history,mgmt_post,mgmt_fetch,flow_add,flow_remove,flow_lookup,led_fast,led_slow,led_switch,phyfw_load,phyfw_inquire,sg_submit,sg_peek,sg_refusals,irq_account,irq_counter,irq_clear,dma_open,dma_close,dma_ioctl,dmae_interrupt,dmae_configure,reset_event,reset_is_dead,reset_history,diag_post,diag_fetch,arp_add,arp_remove,arp_lookup,ptp_fast,ptp_slow,ptp_switch,table_load,table_inquire,loop_submit,loop_peek,loop_refusals,flow_account,flow_counter,flow_clear,crypto_open,crypto_close,crypto_ioctl,crypt_interrupt,crypt_configure,scan_event,scan_is_joined,scan_history,host_post,host_fetch,route_add,route_remove,route_lookup,trace_fast,trace_slow,trace_switch,splash_load,splash_inquire,dump_submit,dump_peek,dump_refusals,pm_account,pm_counter,pm_clear,sriov_open,sriov_close,sriov_ioctl,vf_interrupt,vf_configure,train_event,train_is_locked,train_history,log_post,log_fetch,rate_add,rate_remove,rate_lookup,buf_fast,buf_slow,buf_switch,cal_load,cal_inquire,err_account,err_counter,err_clear
// expect races: SAFE; UNSAFE with -D BUG
#include <pthread.h>

#define EBUSY 16
#define EINVAL 22
#define EAGAIN 11
#define EEXIST 17
#define ENOENT 2

/* What the device says; it has a register file of its own, which needs no protection. */
static unsigned device_word(unsigned number)
{
    return number * 2654435761u + 12345u;
}

/* ---- tx: transmission (counters) ---- */

struct tx_counters {
    unsigned long packets;
    unsigned long bytes;
    unsigned long errors;
    unsigned long collisions;
};

static pthread_spinlock_t tx_count_lock;
static struct tx_counters tx_counters;

void tx_account(int event, unsigned amount)
{
    pthread_spin_lock(&tx_count_lock);
    switch (event) {
    case 0:
        tx_counters.packets += 1;
        break;
    case 1:
        tx_counters.bytes += amount;
        break;
    case 2:
        tx_counters.errors += 1;
        break;
    case 3:
        tx_counters.collisions += 1;
        break;
    default:
        tx_counters.collisions++;
    }
    pthread_spin_unlock(&tx_count_lock);
}

unsigned long tx_counter(int which)
{
    unsigned long found = 0;

    pthread_spin_lock(&tx_count_lock);
    if (which == 0)
        found = tx_counters.packets;
    else if (which == 1)
        found = tx_counters.bytes;
    else if (which == 2)
        found = tx_counters.errors;
    else if (which == 3)
        found = tx_counters.collisions;
    pthread_spin_unlock(&tx_count_lock);
    return found;
}

void tx_clear(void)
{
    pthread_spin_lock(&tx_count_lock);
    tx_counters.packets = 0;
    tx_counters.bytes = 0;
    tx_counters.errors = 0;
    tx_counters.collisions = 0;
    pthread_spin_unlock(&tx_count_lock);
}

/* ---- tx: frames on their way out (staging) ---- */

#define TX_WORDS 6

static pthread_spinlock_t tx_stage_lock;
static int tx_busy;             /* whoever sets it owns what follows */
static unsigned tx_words[TX_WORDS];
static unsigned tx_length;
static unsigned tx_kind;
static unsigned tx_check;
static unsigned tx_refused;     /* under the lock */

static int tx_claim(void)
{
    int mine = 0;

    pthread_spin_lock(&tx_stage_lock);
    if (tx_busy) {
        tx_refused++;
    } else {
        tx_busy = 1;
        mine = 1;
    }
    pthread_spin_unlock(&tx_stage_lock);
    return mine;
}

static void tx_give_back(void)
{
    pthread_spin_lock(&tx_stage_lock);
    tx_busy = 0;
    pthread_spin_unlock(&tx_stage_lock);
}

int tx_submit(unsigned length, unsigned kind, unsigned check)
{
    unsigned sum = 0;
    int i;

    if (!tx_claim())
        return -EBUSY;
    tx_length = length;
    tx_kind = kind;
    tx_check = check;
    for (i = 0; i < TX_WORDS; i++)
        tx_words[i] = length ^ (unsigned)i;
    for (i = 0; i < TX_WORDS; i++)
        sum += tx_words[i];
    tx_check = sum;
    tx_give_back();
    return 0;
}

int tx_peek(void)
{
    int first;

    if (!tx_claim())
        return -EBUSY;
    first = tx_words[0] & 0xff;
    tx_give_back();
    return first;
}

unsigned tx_refusals(void)
{
    unsigned found;

    pthread_spin_lock(&tx_stage_lock);
    found = tx_refused;
    pthread_spin_unlock(&tx_stage_lock);
    return found;
}

/* ---- nic: the interface (life) ---- */

enum nic_life { NIC_DOWN, NIC_STARTING, NIC_UP, NIC_STOPPING };

static pthread_spinlock_t nic_life_lock;
static enum nic_life nic_life;
/* Written by the one who brings the unit up or down, read while it is up. */
static unsigned nic_mtu;
static unsigned nic_duplex;
static unsigned nic_speed;
static unsigned nic_ring_size;

int nic_open(unsigned wanted)
{
    pthread_spin_lock(&nic_life_lock);
    if (nic_life != NIC_DOWN) {
        pthread_spin_unlock(&nic_life_lock);
        return -EBUSY;
    }
    nic_life = NIC_STARTING;
    pthread_spin_unlock(&nic_life_lock);

    nic_mtu = wanted;
    nic_duplex = device_word(1) + nic_mtu;
    nic_speed = device_word(2) + nic_duplex;
    nic_ring_size = device_word(3) + nic_speed;

    pthread_spin_lock(&nic_life_lock);
    nic_life = NIC_UP;
    pthread_spin_unlock(&nic_life_lock);
    return 0;
}

int nic_close(void)
{
    pthread_spin_lock(&nic_life_lock);
    if (nic_life != NIC_UP) {
        pthread_spin_unlock(&nic_life_lock);
        return -EINVAL;
    }
    nic_life = NIC_STOPPING;
    pthread_spin_unlock(&nic_life_lock);

    nic_mtu = 0;
    nic_duplex = 0;
    nic_speed = 0;
    nic_ring_size = 0;

    pthread_spin_lock(&nic_life_lock);
    nic_life = NIC_DOWN;
    pthread_spin_unlock(&nic_life_lock);
    return 0;
}

int nic_ioctl(int request)
{
    int found = -EINVAL;

    pthread_spin_lock(&nic_life_lock);
    if (nic_life == NIC_UP) {
        switch (request) {
        case 0:
            found = nic_mtu & 0xffff;
            break;
        case 1:
            found = nic_duplex & 0xffff;
            break;
        case 2:
            found = nic_speed & 0xffff;
            break;
        case 3:
            found = nic_ring_size & 0xffff;
            break;
        }
    }
    pthread_spin_unlock(&nic_life_lock);
    return found;
}

/* ---- rx: reception (interrupt) ---- */

#define RX_SLOTS 8

static pthread_spinlock_t rx_irq_lock;
static int rx_enabled = 1;       /* otherwise settings may change */
static int rx_handling;          /* a handler is at work */
/* Belong to the handler while interrupts are enabled, else to who disabled them. */
static unsigned rx_slots[RX_SLOTS];
static unsigned rx_head;
static unsigned rx_status;
static unsigned rx_moderation;

void rx_interrupt(unsigned cause)
{
    unsigned i;

    pthread_spin_lock(&rx_irq_lock);
    if (!rx_enabled || rx_handling) {
        pthread_spin_unlock(&rx_irq_lock);
        return;
    }
    rx_handling = 1;
    pthread_spin_unlock(&rx_irq_lock);

    rx_head = cause;
    for (i = 0; i < RX_SLOTS; i++)
        if (device_word(i) & rx_moderation)
            rx_slots[i]++;

    pthread_spin_lock(&rx_irq_lock);
    rx_handling = 0;
    pthread_spin_unlock(&rx_irq_lock);
}

int rx_configure(unsigned moderation)
{
    unsigned i;

    pthread_spin_lock(&rx_irq_lock);
    if (!rx_enabled || rx_handling) {
        pthread_spin_unlock(&rx_irq_lock);
        return -EBUSY;
    }
    rx_enabled = 0;
    pthread_spin_unlock(&rx_irq_lock);

    rx_moderation = moderation;
    for (i = 0; i < RX_SLOTS; i++)
        rx_slots[i] = 0;

    pthread_spin_lock(&rx_irq_lock);
    rx_enabled = 1;
    pthread_spin_unlock(&rx_irq_lock);
    return 0;
}

/* ---- cmd: commands to the device (mailbox) ---- */

enum cmd_box { CMD_EMPTY, CMD_FILLING, CMD_FULL, CMD_DRAINING };

static pthread_spinlock_t cmd_box_lock;
static enum cmd_box cmd_box;
/* Belongs to the one who fills or drains the box. */
static struct { unsigned opcode, argument; } cmd_message;

static int cmd_move(enum cmd_box from, enum cmd_box to)
{
    int moved = 0;

    pthread_spin_lock(&cmd_box_lock);
    if (cmd_box == from) {
        cmd_box = to;
        moved = 1;
    }
    pthread_spin_unlock(&cmd_box_lock);
    return moved;
}

int cmd_post(unsigned opcode, unsigned argument)
{
    if (!cmd_move(CMD_EMPTY, CMD_FILLING))
        return -EBUSY;
    cmd_message.opcode = opcode;
    cmd_message.argument = argument;
    cmd_move(CMD_FILLING, CMD_FULL);
    return 0;
}

int cmd_fetch(void)
{
    unsigned sum = 0;

    if (!cmd_move(CMD_FULL, CMD_DRAINING))
        return -EAGAIN;
    sum += cmd_message.opcode;
    sum += cmd_message.argument;
    cmd_message.opcode = 0;
    cmd_move(CMD_DRAINING, CMD_EMPTY);
    return sum & 0xffff;
}

/* ---- filter: the unicast filter (varying) ---- */

enum filter_mode { FILTER_FAST, FILTER_SLOW };

static pthread_spinlock_t filter_fast_lock, filter_slow_lock;
static enum filter_mode filter_mode; /* written under both locks */
/* Under the lock of the mode. */
static unsigned filter_rule;
static unsigned filter_hits;

int filter_fast(unsigned change)
{
    int done = 0;

    pthread_spin_lock(&filter_fast_lock);
    if (filter_mode == FILTER_FAST) {
        filter_rule += change;
        filter_hits ^= change;
        done = 1;
    }
    pthread_spin_unlock(&filter_fast_lock);
    return done;
}

int filter_slow(unsigned change)
{
    int done = 0;

    pthread_spin_lock(&filter_slow_lock);
    if (filter_mode == FILTER_SLOW) {
        filter_rule += change;
        filter_hits ^= change;
        done = 1;
    }
    pthread_spin_unlock(&filter_slow_lock);
    return done;
}

void filter_switch(int slow)
{
    pthread_spin_lock(&filter_fast_lock);
    pthread_spin_lock(&filter_slow_lock);
    filter_mode = slow ? FILTER_SLOW : FILTER_FAST;
    pthread_spin_unlock(&filter_slow_lock);
    pthread_spin_unlock(&filter_fast_lock);
}

/* ---- boot: the boot image (firmware) ---- */

enum boot_image { BOOT_ABSENT, BOOT_LOADING, BOOT_LOADED };

static pthread_spinlock_t boot_image_lock;
static enum boot_image boot_image;
/* Written once, by the one who loads it; then everybody may read it. */
static unsigned boot_version;
static unsigned boot_checksum;
static unsigned boot_entry_point;

int boot_load(unsigned seed)
{
    pthread_spin_lock(&boot_image_lock);
    if (boot_image != BOOT_ABSENT) {
        pthread_spin_unlock(&boot_image_lock);
        return -EEXIST;
    }
    boot_image = BOOT_LOADING;
    pthread_spin_unlock(&boot_image_lock);

    boot_version = device_word(0) ^ seed;
    boot_checksum = device_word(1) ^ seed;
    boot_entry_point = device_word(2) ^ seed;

    pthread_spin_lock(&boot_image_lock);
    boot_image = BOOT_LOADED;
    pthread_spin_unlock(&boot_image_lock);
    return 0;
}

static int boot_is_there(void)
{
    int there;

    pthread_spin_lock(&boot_image_lock);
    there = boot_image == BOOT_LOADED;
    pthread_spin_unlock(&boot_image_lock);
    return there;
}

int boot_inquire(int which)
{
    int found = -EINVAL;

    if (!boot_is_there())
        return -ENOENT;
    if (which == 0)
        found = boot_version & 0xffff;
    else if (which == 1)
        found = boot_checksum & 0xffff;
    else if (which == 2)
        found = boot_entry_point & 0xffff;
    return found;
}

/* ---- mcast: multicast addresses (table) ---- */

#define MCAST_ROWS 8

struct mcast_row {
    unsigned address;
    unsigned uses;
    int taken;
};

static pthread_spinlock_t mcast_table_lock;
static struct mcast_row mcast_rows[MCAST_ROWS];
static unsigned mcast_used;

/* The caller holds the lock. */
static int mcast_find(unsigned address)
{
    int i;

    for (i = 0; i < MCAST_ROWS; i++)
        if (mcast_rows[i].taken && mcast_rows[i].address == address)
            return i;
    return -1;
}

int mcast_add(unsigned address, unsigned uses)
{
    int i, found = -1;

    pthread_spin_lock(&mcast_table_lock);
    if (mcast_find(address) < 0 && mcast_used < MCAST_ROWS) {
        for (i = 0; i < MCAST_ROWS && found < 0; i++)
            if (!mcast_rows[i].taken)
                found = i;
        if (found >= 0) {
            mcast_rows[found].address = address;
            mcast_rows[found].uses = uses;
            mcast_rows[found].taken = 1;
            mcast_used++;
        }
    }
    pthread_spin_unlock(&mcast_table_lock);
    return found;
}

int mcast_remove(unsigned address)
{
    int row;

    pthread_spin_lock(&mcast_table_lock);
    row = mcast_find(address);
    if (row >= 0) {
        mcast_rows[row].taken = 0;
        mcast_used--;
    }
    pthread_spin_unlock(&mcast_table_lock);
    return row;
}

unsigned mcast_lookup(unsigned address)
{
    unsigned found = 0;
    int row;

    pthread_spin_lock(&mcast_table_lock);
    row = mcast_find(address);
    if (row >= 0)
        found = mcast_rows[row].uses;
    pthread_spin_unlock(&mcast_table_lock);
    return found;
}

/* ---- link: the link (machine) ---- */

enum link_state { LINK_PROBING, LINK_TRAINING, LINK_READY, LINK_BROKEN };

static pthread_spinlock_t link_state_lock;
static enum link_state link_state;
static unsigned link_timeouts, link_changes;

/* The caller holds the lock. */
static void link_enter(enum link_state next)
{
    if (link_state != next)
        link_changes++;
    link_state = next;
    link_timeouts = 0;
}

void link_event(int good, int patience)
{
    pthread_spin_lock(&link_state_lock);
    switch (link_state) {
    case LINK_PROBING:
        if (good)
            link_enter(LINK_TRAINING);
        else if (++link_timeouts > (unsigned)patience)
            link_enter(LINK_PROBING);
        break;
    case LINK_TRAINING:
        if (good)
            link_enter(LINK_READY);
        else if (++link_timeouts > (unsigned)patience)
            link_enter(LINK_PROBING);
        break;
    case LINK_READY:
        if (good)
            link_enter(LINK_BROKEN);
        else if (++link_timeouts > (unsigned)patience)
            link_enter(LINK_PROBING);
        break;
    case LINK_BROKEN:
        if (!good)
            link_enter(LINK_PROBING);
        break;
    }
    pthread_spin_unlock(&link_state_lock);
}

int link_is_broken(void)
{
    int found;

    pthread_spin_lock(&link_state_lock);
    found = link_state == LINK_BROKEN;
    pthread_spin_unlock(&link_state_lock);
    return found;
}

unsigned link_history(int clear)
{
    unsigned found;

    pthread_spin_lock(&link_state_lock);
    found = link_changes;
    if (clear)
        link_changes = 0;
    pthread_spin_unlock(&link_state_lock);
    return found;
}

/* ---- rx: reception (counters) ---- */

struct rx_counters {
    unsigned long packets;
    unsigned long bytes;
    unsigned long crc_errors;
    unsigned long overruns;
    unsigned long missed;
};

static pthread_spinlock_t rx_count_lock;
static struct rx_counters rx_counters;

void rx_account(int event, unsigned amount)
{
    pthread_spin_lock(&rx_count_lock);
    switch (event) {
    case 0:
        rx_counters.packets += 1;
        break;
    case 1:
        rx_counters.bytes += amount;
        break;
    case 2:
        rx_counters.crc_errors += 1;
        break;
    case 3:
        rx_counters.overruns += 1;
        break;
    case 4:
        rx_counters.missed += 1;
        break;
    default:
        rx_counters.missed++;
    }
    pthread_spin_unlock(&rx_count_lock);
}

unsigned long rx_counter(int which)
{
    unsigned long found = 0;

    pthread_spin_lock(&rx_count_lock);
    if (which == 0)
        found = rx_counters.packets;
    else if (which == 1)
        found = rx_counters.bytes;
    else if (which == 2)
        found = rx_counters.crc_errors;
    else if (which == 3)
        found = rx_counters.overruns;
    else if (which == 4)
        found = rx_counters.missed;
    pthread_spin_unlock(&rx_count_lock);
    return found;
}

void rx_clear(void)
{
    pthread_spin_lock(&rx_count_lock);
    rx_counters.packets = 0;
    rx_counters.bytes = 0;
    rx_counters.crc_errors = 0;
    rx_counters.overruns = 0;
    rx_counters.missed = 0;
    pthread_spin_unlock(&rx_count_lock);
}

/* ---- mii: transfers on the management bus (staging) ---- */

#define MII_WORDS 3

static pthread_spinlock_t mii_stage_lock;
static int mii_busy;             /* whoever sets it owns what follows */
static unsigned mii_words[MII_WORDS];
static unsigned mii_phy;
static unsigned mii_number;
static unsigned mii_word;
static unsigned mii_refused;     /* under the lock */

static int mii_claim(void)
{
    int mine = 0;

    pthread_spin_lock(&mii_stage_lock);
    if (mii_busy) {
        mii_refused++;
    } else {
        mii_busy = 1;
        mine = 1;
    }
    pthread_spin_unlock(&mii_stage_lock);
    return mine;
}

static void mii_give_back(void)
{
    pthread_spin_lock(&mii_stage_lock);
    mii_busy = 0;
    pthread_spin_unlock(&mii_stage_lock);
}

int mii_submit(unsigned phy, unsigned number, unsigned word)
{
    unsigned sum = 0;
    int i;

    if (!mii_claim())
        return -EBUSY;
    mii_phy = phy;
    mii_number = number;
    mii_word = word;
    for (i = 0; i < MII_WORDS; i++)
        mii_words[i] = phy ^ (unsigned)i;
    for (i = 0; i < MII_WORDS; i++)
        sum += mii_words[i];
    mii_word = sum;
    mii_give_back();
    return 0;
}

int mii_peek(void)
{
    int first;

    if (!mii_claim())
        return -EBUSY;
    first = mii_words[0] & 0xff;
    mii_give_back();
    return first;
}

unsigned mii_refusals(void)
{
    unsigned found;

    pthread_spin_lock(&mii_stage_lock);
    found = mii_refused;
    pthread_spin_unlock(&mii_stage_lock);
    return found;
}

/* ---- phy: the transceiver (life) ---- */

enum phy_life { PHY_DOWN, PHY_STARTING, PHY_UP, PHY_STOPPING };

static pthread_spinlock_t phy_life_lock;
static enum phy_life phy_life;
/* Written by the one who brings the unit up or down, read while it is up. */
static unsigned phy_identifier;
static unsigned phy_advertised;
static unsigned phy_partner;

int phy_open(unsigned wanted)
{
    pthread_spin_lock(&phy_life_lock);
    if (phy_life != PHY_DOWN) {
        pthread_spin_unlock(&phy_life_lock);
        return -EBUSY;
    }
    phy_life = PHY_STARTING;
    pthread_spin_unlock(&phy_life_lock);

    phy_identifier = wanted;
    phy_advertised = device_word(1) + phy_identifier;
    phy_partner = device_word(2) + phy_advertised;

    pthread_spin_lock(&phy_life_lock);
    phy_life = PHY_UP;
    pthread_spin_unlock(&phy_life_lock);
    return 0;
}

int phy_close(void)
{
    pthread_spin_lock(&phy_life_lock);
    if (phy_life != PHY_UP) {
        pthread_spin_unlock(&phy_life_lock);
        return -EINVAL;
    }
    phy_life = PHY_STOPPING;
    pthread_spin_unlock(&phy_life_lock);

    phy_identifier = 0;
    phy_advertised = 0;
    phy_partner = 0;

    pthread_spin_lock(&phy_life_lock);
    phy_life = PHY_DOWN;
    pthread_spin_unlock(&phy_life_lock);
    return 0;
}

int phy_ioctl(int request)
{
    int found = -EINVAL;

    pthread_spin_lock(&phy_life_lock);
    if (phy_life == PHY_UP) {
        switch (request) {
        case 0:
            found = phy_identifier & 0xffff;
            break;
        case 1:
            found = phy_advertised & 0xffff;
            break;
        case 2:
            found = phy_partner & 0xffff;
            break;
        }
    }
    pthread_spin_unlock(&phy_life_lock);
    return found;
}

/* ---- event: events from the device (mailbox) ---- */

enum event_box { EVENT_EMPTY, EVENT_FILLING, EVENT_FULL, EVENT_DRAINING };

static pthread_spinlock_t event_box_lock;
static enum event_box event_box;
/* Belongs to the one who fills or drains the box. */
static struct { unsigned source, code, stamp; } event_message;

static int event_move(enum event_box from, enum event_box to)
{
    int moved = 0;

    pthread_spin_lock(&event_box_lock);
    if (event_box == from) {
        event_box = to;
        moved = 1;
    }
    pthread_spin_unlock(&event_box_lock);
    return moved;
}

int event_post(unsigned source, unsigned code, unsigned stamp)
{
    if (!event_move(EVENT_EMPTY, EVENT_FILLING))
        return -EBUSY;
    event_message.source = source;
    event_message.code = code;
    event_message.stamp = stamp;
    event_move(EVENT_FILLING, EVENT_FULL);
    return 0;
}

int event_fetch(void)
{
    unsigned sum = 0;

    if (!event_move(EVENT_FULL, EVENT_DRAINING))
        return -EAGAIN;
    sum += event_message.source;
    sum += event_message.code;
    sum += event_message.stamp;
    event_message.source = 0;
    event_move(EVENT_DRAINING, EVENT_EMPTY);
    return sum & 0xffff;
}

/* ---- timer: the device's timer (interrupt) ---- */

#define TIMER_SLOTS 4

static pthread_spinlock_t timer_irq_lock;
static int timer_enabled = 1;       /* otherwise settings may change */
static int timer_handling;          /* a handler is at work */
/* Belong to the handler while interrupts are enabled, else to who disabled them. */
static unsigned timer_slots[TIMER_SLOTS];
static unsigned timer_period;
static unsigned timer_drift;

void timer_interrupt(unsigned cause)
{
    unsigned i;

    pthread_spin_lock(&timer_irq_lock);
    if (!timer_enabled || timer_handling) {
        pthread_spin_unlock(&timer_irq_lock);
        return;
    }
    timer_handling = 1;
    pthread_spin_unlock(&timer_irq_lock);

    timer_period = cause;
    for (i = 0; i < TIMER_SLOTS; i++)
        if (device_word(i) & timer_drift)
            timer_slots[i]++;

    pthread_spin_lock(&timer_irq_lock);
    timer_handling = 0;
    pthread_spin_unlock(&timer_irq_lock);
}

int timer_configure(unsigned drift)
{
    unsigned i;

    pthread_spin_lock(&timer_irq_lock);
    if (!timer_enabled || timer_handling) {
        pthread_spin_unlock(&timer_irq_lock);
        return -EBUSY;
    }
    timer_enabled = 0;
    pthread_spin_unlock(&timer_irq_lock);

    timer_drift = drift;
    for (i = 0; i < TIMER_SLOTS; i++)
        timer_slots[i] = 0;

    pthread_spin_lock(&timer_irq_lock);
    timer_enabled = 1;
    pthread_spin_unlock(&timer_irq_lock);
    return 0;
}

/* ---- autoneg: autonegotiation (machine) ---- */

enum autoneg_state { AUTONEG_IDLE, AUTONEG_PAGE, AUTONEG_ACKNOWLEDGE, AUTONEG_DONE };

static pthread_spinlock_t autoneg_state_lock;
static enum autoneg_state autoneg_state;
static unsigned autoneg_timeouts, autoneg_changes;

/* The caller holds the lock. */
static void autoneg_enter(enum autoneg_state next)
{
    if (autoneg_state != next)
        autoneg_changes++;
    autoneg_state = next;
    autoneg_timeouts = 0;
}

void autoneg_event(int good, int patience)
{
    pthread_spin_lock(&autoneg_state_lock);
    switch (autoneg_state) {
    case AUTONEG_IDLE:
        if (good)
            autoneg_enter(AUTONEG_PAGE);
        else if (++autoneg_timeouts > (unsigned)patience)
            autoneg_enter(AUTONEG_IDLE);
        break;
    case AUTONEG_PAGE:
        if (good)
            autoneg_enter(AUTONEG_ACKNOWLEDGE);
        else if (++autoneg_timeouts > (unsigned)patience)
            autoneg_enter(AUTONEG_IDLE);
        break;
    case AUTONEG_ACKNOWLEDGE:
        if (good)
            autoneg_enter(AUTONEG_DONE);
        else if (++autoneg_timeouts > (unsigned)patience)
            autoneg_enter(AUTONEG_IDLE);
        break;
    case AUTONEG_DONE:
        if (!good)
            autoneg_enter(AUTONEG_IDLE);
        break;
    }
    pthread_spin_unlock(&autoneg_state_lock);
}

int autoneg_is_done(void)
{
    int found;

    pthread_spin_lock(&autoneg_state_lock);
    found = autoneg_state == AUTONEG_DONE;
    pthread_spin_unlock(&autoneg_state_lock);
    return found;
}

unsigned autoneg_history(int clear)
{
    unsigned found;

    pthread_spin_lock(&autoneg_state_lock);
    found = autoneg_changes;
    if (clear)
        autoneg_changes = 0;
    pthread_spin_unlock(&autoneg_state_lock);
    return found;
}

/* ---- vlan: virtual networks (table) ---- */

#define VLAN_ROWS 16

struct vlan_row {
    unsigned tag;
    unsigned priority;
    int taken;
};

static pthread_spinlock_t vlan_table_lock;
static struct vlan_row vlan_rows[VLAN_ROWS];
static unsigned vlan_used;

/* The caller holds the lock. */
static int vlan_find(unsigned tag)
{
    int i;

    for (i = 0; i < VLAN_ROWS; i++)
        if (vlan_rows[i].taken && vlan_rows[i].tag == tag)
            return i;
    return -1;
}

int vlan_add(unsigned tag, unsigned priority)
{
    int i, found = -1;

    pthread_spin_lock(&vlan_table_lock);
    if (vlan_find(tag) < 0 && vlan_used < VLAN_ROWS) {
        for (i = 0; i < VLAN_ROWS && found < 0; i++)
            if (!vlan_rows[i].taken)
                found = i;
        if (found >= 0) {
            vlan_rows[found].tag = tag;
            vlan_rows[found].priority = priority;
            vlan_rows[found].taken = 1;
            vlan_used++;
        }
    }
    pthread_spin_unlock(&vlan_table_lock);
    return found;
}

int vlan_remove(unsigned tag)
{
    int row;

    pthread_spin_lock(&vlan_table_lock);
    row = vlan_find(tag);
    if (row >= 0) {
        vlan_rows[row].taken = 0;
        vlan_used--;
    }
    pthread_spin_unlock(&vlan_table_lock);
    return row;
}

unsigned vlan_lookup(unsigned tag)
{
    unsigned found = 0;
    int row;

    pthread_spin_lock(&vlan_table_lock);
    row = vlan_find(tag);
    if (row >= 0)
        found = vlan_rows[row].priority;
    pthread_spin_unlock(&vlan_table_lock);
    return found;
}

/* ---- queue: the queue in use (varying) ---- */

enum queue_mode { QUEUE_FAST, QUEUE_SLOW };

static pthread_spinlock_t queue_fast_lock, queue_slow_lock;
static enum queue_mode queue_mode; /* written under both locks */
/* Under the lock of the mode. */
static unsigned queue_depth;
static unsigned queue_credit;
static unsigned queue_weight;

int queue_fast(unsigned change)
{
    int done = 0;

    pthread_spin_lock(&queue_fast_lock);
    if (queue_mode == QUEUE_FAST) {
        queue_depth += change;
        queue_credit ^= change;
        queue_weight += change;
        done = 1;
    }
    pthread_spin_unlock(&queue_fast_lock);
    return done;
}

int queue_slow(unsigned change)
{
    int done = 0;

    pthread_spin_lock(&queue_slow_lock);
    if (queue_mode == QUEUE_SLOW) {
        queue_depth += change;
        queue_credit ^= change;
        queue_weight += change;
        done = 1;
    }
    pthread_spin_unlock(&queue_slow_lock);
    return done;
}

void queue_switch(int slow)
{
    pthread_spin_lock(&queue_fast_lock);
    pthread_spin_lock(&queue_slow_lock);
    queue_mode = slow ? QUEUE_SLOW : QUEUE_FAST;
    pthread_spin_unlock(&queue_slow_lock);
    pthread_spin_unlock(&queue_fast_lock);
}

/* ---- micro: microcode of the scheduler (firmware) ---- */

enum micro_image { MICRO_ABSENT, MICRO_LOADING, MICRO_LOADED };

static pthread_spinlock_t micro_image_lock;
static enum micro_image micro_image;
/* Written once, by the one who loads it; then everybody may read it. */
static unsigned micro_revision;
static unsigned micro_length;

int micro_load(unsigned seed)
{
    pthread_spin_lock(&micro_image_lock);
    if (micro_image != MICRO_ABSENT) {
        pthread_spin_unlock(&micro_image_lock);
        return -EEXIST;
    }
    micro_image = MICRO_LOADING;
    pthread_spin_unlock(&micro_image_lock);

    micro_revision = device_word(0) ^ seed;
    micro_length = device_word(1) ^ seed;

    pthread_spin_lock(&micro_image_lock);
    micro_image = MICRO_LOADED;
    pthread_spin_unlock(&micro_image_lock);
    return 0;
}

static int micro_is_there(void)
{
    int there;

    pthread_spin_lock(&micro_image_lock);
    there = micro_image == MICRO_LOADED;
    pthread_spin_unlock(&micro_image_lock);
    return there;
}

int micro_inquire(int which)
{
    int found = -EINVAL;

    if (!micro_is_there())
        return -ENOENT;
    if (which == 0)
        found = micro_revision & 0xffff;
    else if (which == 1)
        found = micro_length & 0xffff;
    return found;
}

/* ---- nvram: blocks of the configuration memory (staging) ---- */

#define NVRAM_WORDS 8

static pthread_spinlock_t nvram_stage_lock;
static int nvram_busy;             /* whoever sets it owns what follows */
static unsigned nvram_words[NVRAM_WORDS];
static unsigned nvram_offset;
static unsigned nvram_width;
static unsigned nvram_refused;     /* under the lock */

static int nvram_claim(void)
{
    int mine = 0;

    pthread_spin_lock(&nvram_stage_lock);
    if (nvram_busy) {
        nvram_refused++;
    } else {
        nvram_busy = 1;
        mine = 1;
    }
    pthread_spin_unlock(&nvram_stage_lock);
    return mine;
}

static void nvram_give_back(void)
{
    pthread_spin_lock(&nvram_stage_lock);
    nvram_busy = 0;
    pthread_spin_unlock(&nvram_stage_lock);
}

int nvram_submit(unsigned offset, unsigned width)
{
    unsigned sum = 0;
    int i;

    if (!nvram_claim())
        return -EBUSY;
    nvram_offset = offset;
    nvram_width = width;
    for (i = 0; i < NVRAM_WORDS; i++)
        nvram_words[i] = offset ^ (unsigned)i;
    for (i = 0; i < NVRAM_WORDS; i++)
        sum += nvram_words[i];
    nvram_width = sum;
    nvram_give_back();
    return 0;
}

int nvram_peek(void)
{
    int first;

    if (!nvram_claim())
        return -EBUSY;
    first = nvram_words[0] & 0xff;
    nvram_give_back();
    return first;
}

unsigned nvram_refusals(void)
{
    unsigned found;

    pthread_spin_lock(&nvram_stage_lock);
    found = nvram_refused;
    pthread_spin_unlock(&nvram_stage_lock);
    return found;
}

/* ---- bus: the bus (counters) ---- */

struct bus_counters {
    unsigned long reads;
    unsigned long writes;
    unsigned long retries;
};

static pthread_spinlock_t bus_count_lock;
static struct bus_counters bus_counters;

void bus_account(int event, unsigned amount)
{
    pthread_spin_lock(&bus_count_lock);
    switch (event) {
    case 0:
        bus_counters.reads += 1;
        break;
    case 1:
        bus_counters.writes += 1;
        break;
    case 2:
        bus_counters.retries += amount;
        break;
    default:
        bus_counters.retries++;
    }
    pthread_spin_unlock(&bus_count_lock);
}

unsigned long bus_counter(int which)
{
    unsigned long found = 0;

    pthread_spin_lock(&bus_count_lock);
    if (which == 0)
        found = bus_counters.reads;
    else if (which == 1)
        found = bus_counters.writes;
    else if (which == 2)
        found = bus_counters.retries;
    pthread_spin_unlock(&bus_count_lock);
    return found;
}

void bus_clear(void)
{
    pthread_spin_lock(&bus_count_lock);
    bus_counters.reads = 0;
    bus_counters.writes = 0;
    bus_counters.retries = 0;
    pthread_spin_unlock(&bus_count_lock);
}

/* ---- wol: wake on lan (life) ---- */

enum wol_life { WOL_DOWN, WOL_STARTING, WOL_UP, WOL_STOPPING };

static pthread_spinlock_t wol_life_lock;
static enum wol_life wol_life;
/* Written by the one who brings the unit up or down, read while it is up. */
static unsigned wol_pattern;
static unsigned wol_mask;
static unsigned wol_armed_for;

int wol_open(unsigned wanted)
{
    pthread_spin_lock(&wol_life_lock);
    if (wol_life != WOL_DOWN) {
        pthread_spin_unlock(&wol_life_lock);
        return -EBUSY;
    }
    wol_life = WOL_STARTING;
    pthread_spin_unlock(&wol_life_lock);

    wol_pattern = wanted;
    wol_mask = device_word(1) + wol_pattern;
    wol_armed_for = device_word(2) + wol_mask;

    pthread_spin_lock(&wol_life_lock);
    wol_life = WOL_UP;
    pthread_spin_unlock(&wol_life_lock);
    return 0;
}

int wol_close(void)
{
    pthread_spin_lock(&wol_life_lock);
    if (wol_life != WOL_UP) {
        pthread_spin_unlock(&wol_life_lock);
        return -EINVAL;
    }
    wol_life = WOL_STOPPING;
    pthread_spin_unlock(&wol_life_lock);

    wol_pattern = 0;
    wol_mask = 0;
    wol_armed_for = 0;

    pthread_spin_lock(&wol_life_lock);
    wol_life = WOL_DOWN;
    pthread_spin_unlock(&wol_life_lock);
    return 0;
}

int wol_ioctl(int request)
{
    int found = -EINVAL;

    pthread_spin_lock(&wol_life_lock);
    if (wol_life == WOL_UP) {
        switch (request) {
        case 0:
            found = wol_pattern & 0xffff;
            break;
        case 1:
            found = wol_mask & 0xffff;
            break;
        case 2:
            found = wol_armed_for & 0xffff;
            break;
        }
    }
    pthread_spin_unlock(&wol_life_lock);
    return found;
}

/* ---- mac: the address unit (interrupt) ---- */

#define MAC_SLOTS 4

static pthread_spinlock_t mac_irq_lock;
static int mac_enabled = 1;       /* otherwise settings may change */
static int mac_handling;          /* a handler is at work */
/* Belong to the handler while interrupts are enabled, else to who disabled them. */
static unsigned mac_slots[MAC_SLOTS];
static unsigned mac_cause;
static unsigned mac_mask_word;

void mac_interrupt(unsigned cause)
{
    unsigned i;

    pthread_spin_lock(&mac_irq_lock);
    if (!mac_enabled || mac_handling) {
        pthread_spin_unlock(&mac_irq_lock);
        return;
    }
    mac_handling = 1;
    pthread_spin_unlock(&mac_irq_lock);

    mac_cause = cause;
    for (i = 0; i < MAC_SLOTS; i++)
        if (device_word(i) & mac_mask_word)
            mac_slots[i]++;

    pthread_spin_lock(&mac_irq_lock);
    mac_handling = 0;
    pthread_spin_unlock(&mac_irq_lock);
}

int mac_configure(unsigned mask_word)
{
    unsigned i;

    pthread_spin_lock(&mac_irq_lock);
    if (!mac_enabled || mac_handling) {
        pthread_spin_unlock(&mac_irq_lock);
        return -EBUSY;
    }
    mac_enabled = 0;
    pthread_spin_unlock(&mac_irq_lock);

    mac_mask_word = mask_word;
    for (i = 0; i < MAC_SLOTS; i++)
        mac_slots[i] = 0;

    pthread_spin_lock(&mac_irq_lock);
    mac_enabled = 1;
    pthread_spin_unlock(&mac_irq_lock);
    return 0;
}

/* ---- power: power management (machine) ---- */

enum power_state { POWER_FULL, POWER_DOZING, POWER_ASLEEP, POWER_WAKING };

static pthread_spinlock_t power_state_lock;
static enum power_state power_state;
static unsigned power_timeouts, power_changes;

/* The caller holds the lock. */
static void power_enter(enum power_state next)
{
    if (power_state != next)
        power_changes++;
    power_state = next;
    power_timeouts = 0;
}

void power_event(int good, int patience)
{
    pthread_spin_lock(&power_state_lock);
    switch (power_state) {
    case POWER_FULL:
        if (good)
            power_enter(POWER_DOZING);
        else if (++power_timeouts > (unsigned)patience)
            power_enter(POWER_FULL);
        break;
    case POWER_DOZING:
        if (good)
            power_enter(POWER_ASLEEP);
        else if (++power_timeouts > (unsigned)patience)
            power_enter(POWER_FULL);
        break;
    case POWER_ASLEEP:
        if (good)
            power_enter(POWER_WAKING);
        else if (++power_timeouts > (unsigned)patience)
            power_enter(POWER_FULL);
        break;
    case POWER_WAKING:
        if (!good)
            power_enter(POWER_FULL);
        break;
    }
    pthread_spin_unlock(&power_state_lock);
}

int power_is_waking(void)
{
    int found;

    pthread_spin_lock(&power_state_lock);
    found = power_state == POWER_WAKING;
    pthread_spin_unlock(&power_state_lock);
    return found;
}

unsigned power_history(int clear)
{
    unsigned found;

    pthread_spin_lock(&power_state_lock);
    found = power_changes;
    if (clear)
        power_changes = 0;
    pthread_spin_unlock(&power_state_lock);
    return found;
}

/* ---- mgmt: messages of the management unit (mailbox) ---- */

enum mgmt_box { MGMT_EMPTY, MGMT_FILLING, MGMT_FULL, MGMT_DRAINING };

static pthread_spinlock_t mgmt_box_lock;
static enum mgmt_box mgmt_box;
/* Belongs to the one who fills or drains the box. */
static struct { unsigned channel, payload; } mgmt_message;

static int mgmt_move(enum mgmt_box from, enum mgmt_box to)
{
    int moved = 0;

    pthread_spin_lock(&mgmt_box_lock);
    if (mgmt_box == from) {
        mgmt_box = to;
        moved = 1;
    }
    pthread_spin_unlock(&mgmt_box_lock);
    return moved;
}

int mgmt_post(unsigned channel, unsigned payload)
{
    if (!mgmt_move(MGMT_EMPTY, MGMT_FILLING))
        return -EBUSY;
    mgmt_message.channel = channel;
    mgmt_message.payload = payload;
    mgmt_move(MGMT_FILLING, MGMT_FULL);
    return 0;
}

int mgmt_fetch(void)
{
    unsigned sum = 0;

    if (!mgmt_move(MGMT_FULL, MGMT_DRAINING))
        return -EAGAIN;
    sum += mgmt_message.channel;
    sum += mgmt_message.payload;
    mgmt_message.channel = 0;
    mgmt_move(MGMT_DRAINING, MGMT_EMPTY);
    return sum & 0xffff;
}

/* ---- flow: flows that are offloaded (table) ---- */

#define FLOW_ROWS 12

struct flow_row {
    unsigned key;
    unsigned target;
    int taken;
};

static pthread_spinlock_t flow_table_lock;
static struct flow_row flow_rows[FLOW_ROWS];
static unsigned flow_used;

/* The caller holds the lock. */
static int flow_find(unsigned key)
{
    int i;

    for (i = 0; i < FLOW_ROWS; i++)
        if (flow_rows[i].taken && flow_rows[i].key == key)
            return i;
    return -1;
}

int flow_add(unsigned key, unsigned target)
{
    int i, found = -1;

    pthread_spin_lock(&flow_table_lock);
    if (flow_find(key) < 0 && flow_used < FLOW_ROWS) {
        for (i = 0; i < FLOW_ROWS && found < 0; i++)
            if (!flow_rows[i].taken)
                found = i;
        if (found >= 0) {
            flow_rows[found].key = key;
            flow_rows[found].target = target;
            flow_rows[found].taken = 1;
            flow_used++;
        }
    }
    pthread_spin_unlock(&flow_table_lock);
    return found;
}

int flow_remove(unsigned key)
{
    int row;

    pthread_spin_lock(&flow_table_lock);
    row = flow_find(key);
    if (row >= 0) {
        flow_rows[row].taken = 0;
        flow_used--;
    }
    pthread_spin_unlock(&flow_table_lock);
    return row;
}

unsigned flow_lookup(unsigned key)
{
    unsigned found = 0;
    int row;

    pthread_spin_lock(&flow_table_lock);
    row = flow_find(key);
    if (row >= 0)
        found = flow_rows[row].target;
    pthread_spin_unlock(&flow_table_lock);
    return found;
}

/* ---- led: the lamps (varying) ---- */

enum led_mode { LED_FAST, LED_SLOW };

static pthread_spinlock_t led_fast_lock, led_slow_lock;
static enum led_mode led_mode; /* written under both locks */
/* Under the lock of the mode. */
static unsigned led_pattern;
static unsigned led_rate;

int led_fast(unsigned change)
{
    int done = 0;

    pthread_spin_lock(&led_fast_lock);
    if (led_mode == LED_FAST) {
        led_pattern += change;
        led_rate ^= change;
        done = 1;
    }
    pthread_spin_unlock(&led_fast_lock);
    return done;
}

int led_slow(unsigned change)
{
    int done = 0;

    pthread_spin_lock(&led_slow_lock);
    if (led_mode == LED_SLOW) {
        led_pattern += change;
        led_rate ^= change;
        done = 1;
    }
    pthread_spin_unlock(&led_slow_lock);
    return done;
}

void led_switch(int slow)
{
    pthread_spin_lock(&led_fast_lock);
    pthread_spin_lock(&led_slow_lock);
    led_mode = slow ? LED_SLOW : LED_FAST;
    pthread_spin_unlock(&led_slow_lock);
    pthread_spin_unlock(&led_fast_lock);
}

/* ---- phyfw: code of the transceiver (firmware) ---- */

enum phyfw_image { PHYFW_ABSENT, PHYFW_LOADING, PHYFW_LOADED };

static pthread_spinlock_t phyfw_image_lock;
static enum phyfw_image phyfw_image;
/* Written once, by the one who loads it; then everybody may read it. */
static unsigned phyfw_release;
static unsigned phyfw_patch;
static unsigned phyfw_digest;

int phyfw_load(unsigned seed)
{
    pthread_spin_lock(&phyfw_image_lock);
    if (phyfw_image != PHYFW_ABSENT) {
        pthread_spin_unlock(&phyfw_image_lock);
        return -EEXIST;
    }
    phyfw_image = PHYFW_LOADING;
    pthread_spin_unlock(&phyfw_image_lock);

    phyfw_release = device_word(0) ^ seed;
    phyfw_patch = device_word(1) ^ seed;
    phyfw_digest = device_word(2) ^ seed;

    pthread_spin_lock(&phyfw_image_lock);
    phyfw_image = PHYFW_LOADED;
    pthread_spin_unlock(&phyfw_image_lock);
    return 0;
}

static int phyfw_is_there(void)
{
    int there;

    pthread_spin_lock(&phyfw_image_lock);
    there = phyfw_image == PHYFW_LOADED;
    pthread_spin_unlock(&phyfw_image_lock);
    return there;
}

int phyfw_inquire(int which)
{
    int found = -EINVAL;

    if (!phyfw_is_there())
        return -ENOENT;
    if (which == 0)
        found = phyfw_release & 0xffff;
    else if (which == 1)
        found = phyfw_patch & 0xffff;
    else if (which == 2)
        found = phyfw_digest & 0xffff;
    return found;
}

/* ---- sg: gather lists (staging) ---- */

#define SG_WORDS 10

static pthread_spinlock_t sg_stage_lock;
static int sg_busy;             /* whoever sets it owns what follows */
static unsigned sg_words[SG_WORDS];
static unsigned sg_pieces;
static unsigned sg_total;
static unsigned sg_refused;     /* under the lock */

static int sg_claim(void)
{
    int mine = 0;

    pthread_spin_lock(&sg_stage_lock);
    if (sg_busy) {
        sg_refused++;
    } else {
        sg_busy = 1;
        mine = 1;
    }
    pthread_spin_unlock(&sg_stage_lock);
    return mine;
}

static void sg_give_back(void)
{
    pthread_spin_lock(&sg_stage_lock);
    sg_busy = 0;
    pthread_spin_unlock(&sg_stage_lock);
}

int sg_submit(unsigned pieces, unsigned total)
{
    unsigned sum = 0;
    int i;

    if (!sg_claim())
        return -EBUSY;
    sg_pieces = pieces;
    sg_total = total;
    for (i = 0; i < SG_WORDS; i++)
        sg_words[i] = pieces ^ (unsigned)i;
    for (i = 0; i < SG_WORDS; i++)
        sum += sg_words[i];
    sg_total = sum;
    sg_give_back();
    return 0;
}

int sg_peek(void)
{
    int first;

    if (!sg_claim())
        return -EBUSY;
    first = sg_words[0] & 0xff;
    sg_give_back();
    return first;
}

unsigned sg_refusals(void)
{
    unsigned found;

    pthread_spin_lock(&sg_stage_lock);
    found = sg_refused;
    pthread_spin_unlock(&sg_stage_lock);
    return found;
}

/* ---- irq: interrupts (counters) ---- */

struct irq_counters {
    unsigned long taken;
    unsigned long spurious;
    unsigned long coalesced;
};

static pthread_spinlock_t irq_count_lock;
static struct irq_counters irq_counters;

void irq_account(int event, unsigned amount)
{
    pthread_spin_lock(&irq_count_lock);
    switch (event) {
    case 0:
        irq_counters.taken += 1;
        break;
    case 1:
        irq_counters.spurious += 1;
        break;
    case 2:
        irq_counters.coalesced += 1;
        break;
    default:
        irq_counters.coalesced++;
    }
    pthread_spin_unlock(&irq_count_lock);
}

unsigned long irq_counter(int which)
{
    unsigned long found = 0;

    pthread_spin_lock(&irq_count_lock);
    if (which == 0)
        found = irq_counters.taken;
    else if (which == 1)
        found = irq_counters.spurious;
    else if (which == 2)
        found = irq_counters.coalesced;
    pthread_spin_unlock(&irq_count_lock);
    return found;
}

void irq_clear(void)
{
    pthread_spin_lock(&irq_count_lock);
    irq_counters.taken = 0;
    irq_counters.spurious = 0;
    irq_counters.coalesced = 0;
    pthread_spin_unlock(&irq_count_lock);
}

/* ---- dma: the transfer engine (life) ---- */

enum dma_life { DMA_DOWN, DMA_STARTING, DMA_UP, DMA_STOPPING };

static pthread_spinlock_t dma_life_lock;
static enum dma_life dma_life;
/* Written by the one who brings the unit up or down, read while it is up. */
static unsigned dma_burst;
static unsigned dma_align;
static unsigned dma_limit;

int dma_open(unsigned wanted)
{
    pthread_spin_lock(&dma_life_lock);
    if (dma_life != DMA_DOWN) {
        pthread_spin_unlock(&dma_life_lock);
        return -EBUSY;
    }
    dma_life = DMA_STARTING;
    pthread_spin_unlock(&dma_life_lock);

    dma_burst = wanted;
    dma_align = device_word(1) + dma_burst;
    dma_limit = device_word(2) + dma_align;

    pthread_spin_lock(&dma_life_lock);
    dma_life = DMA_UP;
    pthread_spin_unlock(&dma_life_lock);
    return 0;
}

int dma_close(void)
{
    pthread_spin_lock(&dma_life_lock);
    if (dma_life != DMA_UP) {
        pthread_spin_unlock(&dma_life_lock);
        return -EINVAL;
    }
    dma_life = DMA_STOPPING;
    pthread_spin_unlock(&dma_life_lock);

    dma_burst = 0;
    dma_align = 0;
    dma_limit = 0;

    pthread_spin_lock(&dma_life_lock);
    dma_life = DMA_DOWN;
    pthread_spin_unlock(&dma_life_lock);
    return 0;
}

int dma_ioctl(int request)
{
    int found = -EINVAL;

    pthread_spin_lock(&dma_life_lock);
    if (dma_life == DMA_UP) {
        switch (request) {
        case 0:
            found = dma_burst & 0xffff;
            break;
        case 1:
            found = dma_align & 0xffff;
            break;
        case 2:
            found = dma_limit & 0xffff;
            break;
        }
    }
    pthread_spin_unlock(&dma_life_lock);
    return found;
}

/* ---- dmae: errors of the transfer engine (interrupt) ---- */

#define DMAE_SLOTS 4

static pthread_spinlock_t dmae_irq_lock;
static int dmae_enabled = 1;       /* otherwise settings may change */
static int dmae_handling;          /* a handler is at work */
/* Belong to the handler while interrupts are enabled, else to who disabled them. */
static unsigned dmae_slots[DMAE_SLOTS];
static unsigned dmae_address;
static unsigned dmae_syndrome;

void dmae_interrupt(unsigned cause)
{
    unsigned i;

    pthread_spin_lock(&dmae_irq_lock);
    if (!dmae_enabled || dmae_handling) {
        pthread_spin_unlock(&dmae_irq_lock);
        return;
    }
    dmae_handling = 1;
    pthread_spin_unlock(&dmae_irq_lock);

    dmae_address = cause;
    for (i = 0; i < DMAE_SLOTS; i++)
        if (device_word(i) & dmae_syndrome)
            dmae_slots[i]++;

    pthread_spin_lock(&dmae_irq_lock);
    dmae_handling = 0;
    pthread_spin_unlock(&dmae_irq_lock);
}

int dmae_configure(unsigned syndrome)
{
    unsigned i;

    pthread_spin_lock(&dmae_irq_lock);
    if (!dmae_enabled || dmae_handling) {
        pthread_spin_unlock(&dmae_irq_lock);
        return -EBUSY;
    }
    dmae_enabled = 0;
    pthread_spin_unlock(&dmae_irq_lock);

    dmae_syndrome = syndrome;
    for (i = 0; i < DMAE_SLOTS; i++)
        dmae_slots[i] = 0;

    pthread_spin_lock(&dmae_irq_lock);
    dmae_enabled = 1;
    pthread_spin_unlock(&dmae_irq_lock);
    return 0;
}

/* ---- reset: recovery from faults (machine) ---- */

enum reset_state { RESET_HEALTHY, RESET_SUSPECT, RESET_RESETTING, RESET_DEAD };

static pthread_spinlock_t reset_state_lock;
static enum reset_state reset_state;
static unsigned reset_timeouts, reset_changes;

/* The caller holds the lock. */
static void reset_enter(enum reset_state next)
{
    if (reset_state != next)
        reset_changes++;
    reset_state = next;
    reset_timeouts = 0;
}

void reset_event(int good, int patience)
{
    pthread_spin_lock(&reset_state_lock);
    switch (reset_state) {
    case RESET_HEALTHY:
        if (good)
            reset_enter(RESET_SUSPECT);
        else if (++reset_timeouts > (unsigned)patience)
            reset_enter(RESET_HEALTHY);
        break;
    case RESET_SUSPECT:
        if (good)
            reset_enter(RESET_RESETTING);
        else if (++reset_timeouts > (unsigned)patience)
            reset_enter(RESET_HEALTHY);
        break;
    case RESET_RESETTING:
        if (good)
            reset_enter(RESET_DEAD);
        else if (++reset_timeouts > (unsigned)patience)
            reset_enter(RESET_HEALTHY);
        break;
    case RESET_DEAD:
        if (!good)
            reset_enter(RESET_HEALTHY);
        break;
    }
    pthread_spin_unlock(&reset_state_lock);
}

int reset_is_dead(void)
{
    int found;

    pthread_spin_lock(&reset_state_lock);
    found = reset_state == RESET_DEAD;
    pthread_spin_unlock(&reset_state_lock);
    return found;
}

unsigned reset_history(int clear)
{
    unsigned found;

    pthread_spin_lock(&reset_state_lock);
    found = reset_changes;
    if (clear)
        reset_changes = 0;
    pthread_spin_unlock(&reset_state_lock);
    return found;
}

/* ---- diag: diagnosis (mailbox) ---- */

enum diag_box { DIAG_EMPTY, DIAG_FILLING, DIAG_FULL, DIAG_DRAINING };

static pthread_spinlock_t diag_box_lock;
static enum diag_box diag_box;
/* Belongs to the one who fills or drains the box. */
static struct { unsigned test, result; } diag_message;

static int diag_move(enum diag_box from, enum diag_box to)
{
    int moved = 0;

    pthread_spin_lock(&diag_box_lock);
    if (diag_box == from) {
        diag_box = to;
        moved = 1;
    }
    pthread_spin_unlock(&diag_box_lock);
    return moved;
}

int diag_post(unsigned test, unsigned result)
{
    if (!diag_move(DIAG_EMPTY, DIAG_FILLING))
        return -EBUSY;
    diag_message.test = test;
    diag_message.result = result;
    diag_move(DIAG_FILLING, DIAG_FULL);
    return 0;
}

int diag_fetch(void)
{
    unsigned sum = 0;

    if (!diag_move(DIAG_FULL, DIAG_DRAINING))
        return -EAGAIN;
    sum += diag_message.test;
    sum += diag_message.result;
    diag_message.test = 0;
    diag_move(DIAG_DRAINING, DIAG_EMPTY);
    return sum & 0xffff;
}

/* ---- arp: addresses that are answered (table) ---- */

#define ARP_ROWS 8

struct arp_row {
    unsigned host;
    unsigned station;
    int taken;
};

static pthread_spinlock_t arp_table_lock;
static struct arp_row arp_rows[ARP_ROWS];
static unsigned arp_used;

/* The caller holds the lock. */
static int arp_find(unsigned host)
{
    int i;

    for (i = 0; i < ARP_ROWS; i++)
        if (arp_rows[i].taken && arp_rows[i].host == host)
            return i;
    return -1;
}

int arp_add(unsigned host, unsigned station)
{
    int i, found = -1;

    pthread_spin_lock(&arp_table_lock);
    if (arp_find(host) < 0 && arp_used < ARP_ROWS) {
        for (i = 0; i < ARP_ROWS && found < 0; i++)
            if (!arp_rows[i].taken)
                found = i;
        if (found >= 0) {
            arp_rows[found].host = host;
            arp_rows[found].station = station;
            arp_rows[found].taken = 1;
            arp_used++;
        }
    }
    pthread_spin_unlock(&arp_table_lock);
    return found;
}

int arp_remove(unsigned host)
{
    int row;

    pthread_spin_lock(&arp_table_lock);
    row = arp_find(host);
    if (row >= 0) {
        arp_rows[row].taken = 0;
        arp_used--;
    }
    pthread_spin_unlock(&arp_table_lock);
    return row;
}

unsigned arp_lookup(unsigned host)
{
    unsigned found = 0;
    int row;

    pthread_spin_lock(&arp_table_lock);
    row = arp_find(host);
    if (row >= 0)
        found = arp_rows[row].station;
    pthread_spin_unlock(&arp_table_lock);
    return found;
}

/* ---- ptp: the clock in use (varying) ---- */

enum ptp_mode { PTP_FAST, PTP_SLOW };

static pthread_spinlock_t ptp_fast_lock, ptp_slow_lock;
static enum ptp_mode ptp_mode; /* written under both locks */
/* Under the lock of the mode. */
static unsigned ptp_seconds;
static unsigned ptp_fraction;

int ptp_fast(unsigned change)
{
    int done = 0;

    pthread_spin_lock(&ptp_fast_lock);
    if (ptp_mode == PTP_FAST) {
        ptp_seconds += change;
        ptp_fraction ^= change;
        done = 1;
    }
    pthread_spin_unlock(&ptp_fast_lock);
    return done;
}

int ptp_slow(unsigned change)
{
    int done = 0;

    pthread_spin_lock(&ptp_slow_lock);
    if (ptp_mode == PTP_SLOW) {
        ptp_seconds += change;
        ptp_fraction ^= change;
        done = 1;
    }
    pthread_spin_unlock(&ptp_slow_lock);
    return done;
}

void ptp_switch(int slow)
{
    pthread_spin_lock(&ptp_fast_lock);
    pthread_spin_lock(&ptp_slow_lock);
    ptp_mode = slow ? PTP_SLOW : PTP_FAST;
    pthread_spin_unlock(&ptp_slow_lock);
    pthread_spin_unlock(&ptp_fast_lock);
}

/* ---- table: translation tables (firmware) ---- */

enum table_image { TABLE_ABSENT, TABLE_LOADING, TABLE_LOADED };

static pthread_spinlock_t table_image_lock;
static enum table_image table_image;
/* Written once, by the one who loads it; then everybody may read it. */
static unsigned table_rows;
static unsigned table_columns;

int table_load(unsigned seed)
{
    pthread_spin_lock(&table_image_lock);
    if (table_image != TABLE_ABSENT) {
        pthread_spin_unlock(&table_image_lock);
        return -EEXIST;
    }
    table_image = TABLE_LOADING;
    pthread_spin_unlock(&table_image_lock);

    table_rows = device_word(0) ^ seed;
    table_columns = device_word(1) ^ seed;

    pthread_spin_lock(&table_image_lock);
    table_image = TABLE_LOADED;
    pthread_spin_unlock(&table_image_lock);
    return 0;
}

static int table_is_there(void)
{
    int there;

    pthread_spin_lock(&table_image_lock);
    there = table_image == TABLE_LOADED;
    pthread_spin_unlock(&table_image_lock);
    return there;
}

int table_inquire(int which)
{
    int found = -EINVAL;

    if (!table_is_there())
        return -ENOENT;
    if (which == 0)
        found = table_rows & 0xffff;
    else if (which == 1)
        found = table_columns & 0xffff;
    return found;
}

/* ---- loop: loopback tests (staging) ---- */

#define LOOP_WORDS 6

static pthread_spinlock_t loop_stage_lock;
static int loop_busy;             /* whoever sets it owns what follows */
static unsigned loop_words[LOOP_WORDS];
static unsigned loop_seed;
static unsigned loop_expected;
static unsigned loop_refused;     /* under the lock */

static int loop_claim(void)
{
    int mine = 0;

    pthread_spin_lock(&loop_stage_lock);
    if (loop_busy) {
        loop_refused++;
    } else {
        loop_busy = 1;
        mine = 1;
    }
    pthread_spin_unlock(&loop_stage_lock);
    return mine;
}

static void loop_give_back(void)
{
    pthread_spin_lock(&loop_stage_lock);
    loop_busy = 0;
    pthread_spin_unlock(&loop_stage_lock);
}

int loop_submit(unsigned seed, unsigned expected)
{
    unsigned sum = 0;
    int i;

    if (!loop_claim())
        return -EBUSY;
    loop_seed = seed;
    loop_expected = expected;
    for (i = 0; i < LOOP_WORDS; i++)
        loop_words[i] = seed ^ (unsigned)i;
    for (i = 0; i < LOOP_WORDS; i++)
        sum += loop_words[i];
    loop_expected = sum;
    loop_give_back();
    return 0;
}

int loop_peek(void)
{
    int first;

    if (!loop_claim())
        return -EBUSY;
    first = loop_words[0] & 0xff;
    loop_give_back();
    return first;
}

unsigned loop_refusals(void)
{
    unsigned found;

    pthread_spin_lock(&loop_stage_lock);
    found = loop_refused;
    pthread_spin_unlock(&loop_stage_lock);
    return found;
}

/* ---- flow: flow control (counters) ---- */

struct flow_counters {
    unsigned long pauses;
    unsigned long resumes;
};

static pthread_spinlock_t flow_count_lock;
static struct flow_counters flow_counters;

void flow_account(int event, unsigned amount)
{
    pthread_spin_lock(&flow_count_lock);
    switch (event) {
    case 0:
        flow_counters.pauses += 1;
        break;
    case 1:
        flow_counters.resumes += 1;
        break;
    default:
        flow_counters.resumes++;
    }
    pthread_spin_unlock(&flow_count_lock);
}

unsigned long flow_counter(int which)
{
    unsigned long found = 0;

    pthread_spin_lock(&flow_count_lock);
    if (which == 0)
        found = flow_counters.pauses;
    else if (which == 1)
        found = flow_counters.resumes;
    pthread_spin_unlock(&flow_count_lock);
    return found;
}

void flow_clear(void)
{
    pthread_spin_lock(&flow_count_lock);
    flow_counters.pauses = 0;
    flow_counters.resumes = 0;
    pthread_spin_unlock(&flow_count_lock);
}

/* ---- crypto: the cipher unit (life) ---- */

enum crypto_life { CRYPTO_DOWN, CRYPTO_STARTING, CRYPTO_UP, CRYPTO_STOPPING };

static pthread_spinlock_t crypto_life_lock;
static enum crypto_life crypto_life;
/* Written by the one who brings the unit up or down, read while it is up. */
static unsigned crypto_algorithm;
static unsigned crypto_key_length;
static unsigned crypto_nonce;

int crypto_open(unsigned wanted)
{
    pthread_spin_lock(&crypto_life_lock);
    if (crypto_life != CRYPTO_DOWN) {
        pthread_spin_unlock(&crypto_life_lock);
        return -EBUSY;
    }
    crypto_life = CRYPTO_STARTING;
    pthread_spin_unlock(&crypto_life_lock);

    crypto_algorithm = wanted;
    crypto_key_length = device_word(1) + crypto_algorithm;
    crypto_nonce = device_word(2) + crypto_key_length;

    pthread_spin_lock(&crypto_life_lock);
    crypto_life = CRYPTO_UP;
    pthread_spin_unlock(&crypto_life_lock);
    return 0;
}

int crypto_close(void)
{
    pthread_spin_lock(&crypto_life_lock);
    if (crypto_life != CRYPTO_UP) {
        pthread_spin_unlock(&crypto_life_lock);
        return -EINVAL;
    }
    crypto_life = CRYPTO_STOPPING;
    pthread_spin_unlock(&crypto_life_lock);

    crypto_algorithm = 0;
    crypto_key_length = 0;
    crypto_nonce = 0;

    pthread_spin_lock(&crypto_life_lock);
    crypto_life = CRYPTO_DOWN;
    pthread_spin_unlock(&crypto_life_lock);
    return 0;
}

int crypto_ioctl(int request)
{
    int found = -EINVAL;

    pthread_spin_lock(&crypto_life_lock);
    if (crypto_life == CRYPTO_UP) {
        switch (request) {
        case 0:
            found = crypto_algorithm & 0xffff;
            break;
        case 1:
            found = crypto_key_length & 0xffff;
            break;
        case 2:
            found = crypto_nonce & 0xffff;
            break;
        }
    }
    pthread_spin_unlock(&crypto_life_lock);
    return found;
}

/* ---- crypt: the cipher unit's end of work (interrupt) ---- */

#define CRYPT_SLOTS 6

static pthread_spinlock_t crypt_irq_lock;
static int crypt_enabled = 1;       /* otherwise settings may change */
static int crypt_handling;          /* a handler is at work */
/* Belong to the handler while interrupts are enabled, else to who disabled them. */
static unsigned crypt_slots[CRYPT_SLOTS];
static unsigned crypt_session;
static unsigned crypt_left;

void crypt_interrupt(unsigned cause)
{
    unsigned i;

    pthread_spin_lock(&crypt_irq_lock);
    if (!crypt_enabled || crypt_handling) {
        pthread_spin_unlock(&crypt_irq_lock);
        return;
    }
    crypt_handling = 1;
    pthread_spin_unlock(&crypt_irq_lock);

    crypt_session = cause;
    for (i = 0; i < CRYPT_SLOTS; i++)
        if (device_word(i) & crypt_left)
            crypt_slots[i]++;

    pthread_spin_lock(&crypt_irq_lock);
    crypt_handling = 0;
    pthread_spin_unlock(&crypt_irq_lock);
}

int crypt_configure(unsigned left)
{
    unsigned i;

    pthread_spin_lock(&crypt_irq_lock);
    if (!crypt_enabled || crypt_handling) {
        pthread_spin_unlock(&crypt_irq_lock);
        return -EBUSY;
    }
    crypt_enabled = 0;
    pthread_spin_unlock(&crypt_irq_lock);

    crypt_left = left;
    for (i = 0; i < CRYPT_SLOTS; i++)
        crypt_slots[i] = 0;

    pthread_spin_lock(&crypt_irq_lock);
    crypt_enabled = 1;
    pthread_spin_unlock(&crypt_irq_lock);
    return 0;
}

/* ---- scan: the scan for partners (machine) ---- */

enum scan_state { SCAN_QUIET, SCAN_LISTENING, SCAN_JOINING, SCAN_JOINED };

static pthread_spinlock_t scan_state_lock;
static enum scan_state scan_state;
static unsigned scan_timeouts, scan_changes;

/* The caller holds the lock. */
static void scan_enter(enum scan_state next)
{
    if (scan_state != next)
        scan_changes++;
    scan_state = next;
    scan_timeouts = 0;
}

void scan_event(int good, int patience)
{
    pthread_spin_lock(&scan_state_lock);
    switch (scan_state) {
    case SCAN_QUIET:
        if (good)
            scan_enter(SCAN_LISTENING);
        else if (++scan_timeouts > (unsigned)patience)
            scan_enter(SCAN_QUIET);
        break;
    case SCAN_LISTENING:
        if (good)
            scan_enter(SCAN_JOINING);
        else if (++scan_timeouts > (unsigned)patience)
            scan_enter(SCAN_QUIET);
        break;
    case SCAN_JOINING:
        if (good)
            scan_enter(SCAN_JOINED);
        else if (++scan_timeouts > (unsigned)patience)
            scan_enter(SCAN_QUIET);
        break;
    case SCAN_JOINED:
        if (!good)
            scan_enter(SCAN_QUIET);
        break;
    }
    pthread_spin_unlock(&scan_state_lock);
}

int scan_is_joined(void)
{
    int found;

    pthread_spin_lock(&scan_state_lock);
    found = scan_state == SCAN_JOINED;
    pthread_spin_unlock(&scan_state_lock);
    return found;
}

unsigned scan_history(int clear)
{
    unsigned found;

    pthread_spin_lock(&scan_state_lock);
    found = scan_changes;
    if (clear)
        scan_changes = 0;
    pthread_spin_unlock(&scan_state_lock);
    return found;
}

/* ---- host: requests of the host (mailbox) ---- */

enum host_box { HOST_EMPTY, HOST_FILLING, HOST_FULL, HOST_DRAINING };

static pthread_spinlock_t host_box_lock;
static enum host_box host_box;
/* Belongs to the one who fills or drains the box. */
static struct { unsigned function, reply; } host_message;

static int host_move(enum host_box from, enum host_box to)
{
    int moved = 0;

    pthread_spin_lock(&host_box_lock);
    if (host_box == from) {
        host_box = to;
        moved = 1;
    }
    pthread_spin_unlock(&host_box_lock);
    return moved;
}

int host_post(unsigned function, unsigned reply)
{
    if (!host_move(HOST_EMPTY, HOST_FILLING))
        return -EBUSY;
    host_message.function = function;
    host_message.reply = reply;
    host_move(HOST_FILLING, HOST_FULL);
    return 0;
}

int host_fetch(void)
{
    unsigned sum = 0;

    if (!host_move(HOST_FULL, HOST_DRAINING))
        return -EAGAIN;
    sum += host_message.function;
    sum += host_message.reply;
#ifdef BUG
    host_move(HOST_DRAINING, HOST_EMPTY);
#endif
    host_message.function = 0;
    host_move(HOST_DRAINING, HOST_EMPTY);
    return sum & 0xffff;
}

/* ---- route: routes in hardware (table) ---- */

#define ROUTE_ROWS 16

struct route_row {
    unsigned prefix;
    unsigned next_hop;
    int taken;
};

static pthread_spinlock_t route_table_lock;
static struct route_row route_rows[ROUTE_ROWS];
static unsigned route_used;

/* The caller holds the lock. */
static int route_find(unsigned prefix)
{
    int i;

    for (i = 0; i < ROUTE_ROWS; i++)
        if (route_rows[i].taken && route_rows[i].prefix == prefix)
            return i;
    return -1;
}

int route_add(unsigned prefix, unsigned next_hop)
{
    int i, found = -1;

    pthread_spin_lock(&route_table_lock);
    if (route_find(prefix) < 0 && route_used < ROUTE_ROWS) {
        for (i = 0; i < ROUTE_ROWS && found < 0; i++)
            if (!route_rows[i].taken)
                found = i;
        if (found >= 0) {
            route_rows[found].prefix = prefix;
            route_rows[found].next_hop = next_hop;
            route_rows[found].taken = 1;
            route_used++;
        }
    }
    pthread_spin_unlock(&route_table_lock);
    return found;
}

int route_remove(unsigned prefix)
{
    int row;

    pthread_spin_lock(&route_table_lock);
    row = route_find(prefix);
    if (row >= 0) {
        route_rows[row].taken = 0;
        route_used--;
    }
    pthread_spin_unlock(&route_table_lock);
    return row;
}

unsigned route_lookup(unsigned prefix)
{
    unsigned found = 0;
    int row;

    pthread_spin_lock(&route_table_lock);
    row = route_find(prefix);
    if (row >= 0)
        found = route_rows[row].next_hop;
    pthread_spin_unlock(&route_table_lock);
    return found;
}

/* ---- trace: the trace buffer in use (varying) ---- */

enum trace_mode { TRACE_FAST, TRACE_SLOW };

static pthread_spinlock_t trace_fast_lock, trace_slow_lock;
static enum trace_mode trace_mode; /* written under both locks */
/* Under the lock of the mode. */
static unsigned trace_cursor;
static unsigned trace_level;

int trace_fast(unsigned change)
{
    int done = 0;

    pthread_spin_lock(&trace_fast_lock);
    if (trace_mode == TRACE_FAST) {
        trace_cursor += change;
        trace_level ^= change;
        done = 1;
    }
    pthread_spin_unlock(&trace_fast_lock);
    return done;
}

int trace_slow(unsigned change)
{
    int done = 0;

    pthread_spin_lock(&trace_slow_lock);
    if (trace_mode == TRACE_SLOW) {
        trace_cursor += change;
        trace_level ^= change;
        done = 1;
    }
    pthread_spin_unlock(&trace_slow_lock);
    return done;
}

void trace_switch(int slow)
{
    pthread_spin_lock(&trace_fast_lock);
    pthread_spin_lock(&trace_slow_lock);
    trace_mode = slow ? TRACE_SLOW : TRACE_FAST;
    pthread_spin_unlock(&trace_slow_lock);
    pthread_spin_unlock(&trace_fast_lock);
}

/* ---- splash: option ROM (firmware) ---- */

enum splash_image { SPLASH_ABSENT, SPLASH_LOADING, SPLASH_LOADED };

static pthread_spinlock_t splash_image_lock;
static enum splash_image splash_image;
/* Written once, by the one who loads it; then everybody may read it. */
static unsigned splash_vendor;
static unsigned splash_build;

int splash_load(unsigned seed)
{
    pthread_spin_lock(&splash_image_lock);
    if (splash_image != SPLASH_ABSENT) {
        pthread_spin_unlock(&splash_image_lock);
        return -EEXIST;
    }
    splash_image = SPLASH_LOADING;
    pthread_spin_unlock(&splash_image_lock);

    splash_vendor = device_word(0) ^ seed;
    splash_build = device_word(1) ^ seed;

    pthread_spin_lock(&splash_image_lock);
    splash_image = SPLASH_LOADED;
    pthread_spin_unlock(&splash_image_lock);
    return 0;
}

static int splash_is_there(void)
{
    int there;

    pthread_spin_lock(&splash_image_lock);
    there = splash_image == SPLASH_LOADED;
    pthread_spin_unlock(&splash_image_lock);
    return there;
}

int splash_inquire(int which)
{
    int found = -EINVAL;

    if (!splash_is_there())
        return -ENOENT;
    if (which == 0)
        found = splash_vendor & 0xffff;
    else if (which == 1)
        found = splash_build & 0xffff;
    return found;
}

/* ---- dump: register dumps (staging) ---- */

#define DUMP_WORDS 8

static pthread_spinlock_t dump_stage_lock;
static int dump_busy;             /* whoever sets it owns what follows */
static unsigned dump_words[DUMP_WORDS];
static unsigned dump_first;
static unsigned dump_count;
static unsigned dump_refused;     /* under the lock */

static int dump_claim(void)
{
    int mine = 0;

    pthread_spin_lock(&dump_stage_lock);
    if (dump_busy) {
        dump_refused++;
    } else {
        dump_busy = 1;
        mine = 1;
    }
    pthread_spin_unlock(&dump_stage_lock);
    return mine;
}

static void dump_give_back(void)
{
    pthread_spin_lock(&dump_stage_lock);
    dump_busy = 0;
    pthread_spin_unlock(&dump_stage_lock);
}

int dump_submit(unsigned first, unsigned count)
{
    unsigned sum = 0;
    int i;

    if (!dump_claim())
        return -EBUSY;
    dump_first = first;
    dump_count = count;
    for (i = 0; i < DUMP_WORDS; i++)
        dump_words[i] = first ^ (unsigned)i;
    for (i = 0; i < DUMP_WORDS; i++)
        sum += dump_words[i];
    dump_count = sum;
    dump_give_back();
    return 0;
}

int dump_peek(void)
{
    int first;

    if (!dump_claim())
        return -EBUSY;
    first = dump_words[0] & 0xff;
    dump_give_back();
    return first;
}

unsigned dump_refusals(void)
{
    unsigned found;

    pthread_spin_lock(&dump_stage_lock);
    found = dump_refused;
    pthread_spin_unlock(&dump_stage_lock);
    return found;
}

/* ---- pm: power management (counters) ---- */

struct pm_counters {
    unsigned long entries;
    unsigned long exits;
    unsigned long refusals;
};

static pthread_spinlock_t pm_count_lock;
static struct pm_counters pm_counters;

void pm_account(int event, unsigned amount)
{
    pthread_spin_lock(&pm_count_lock);
    switch (event) {
    case 0:
        pm_counters.entries += 1;
        break;
    case 1:
        pm_counters.exits += 1;
        break;
    case 2:
        pm_counters.refusals += 1;
        break;
    default:
        pm_counters.refusals++;
    }
    pthread_spin_unlock(&pm_count_lock);
}

unsigned long pm_counter(int which)
{
    unsigned long found = 0;

    pthread_spin_lock(&pm_count_lock);
    if (which == 0)
        found = pm_counters.entries;
    else if (which == 1)
        found = pm_counters.exits;
    else if (which == 2)
        found = pm_counters.refusals;
    pthread_spin_unlock(&pm_count_lock);
    return found;
}

void pm_clear(void)
{
    pthread_spin_lock(&pm_count_lock);
    pm_counters.entries = 0;
    pm_counters.exits = 0;
    pm_counters.refusals = 0;
    pthread_spin_unlock(&pm_count_lock);
}

/* ---- sriov: virtual functions (life) ---- */

enum sriov_life { SRIOV_DOWN, SRIOV_STARTING, SRIOV_UP, SRIOV_STOPPING };

static pthread_spinlock_t sriov_life_lock;
static enum sriov_life sriov_life;
/* Written by the one who brings the unit up or down, read while it is up. */
static unsigned sriov_functions;
static unsigned sriov_queues;

int sriov_open(unsigned wanted)
{
    pthread_spin_lock(&sriov_life_lock);
    if (sriov_life != SRIOV_DOWN) {
        pthread_spin_unlock(&sriov_life_lock);
        return -EBUSY;
    }
    sriov_life = SRIOV_STARTING;
    pthread_spin_unlock(&sriov_life_lock);

    sriov_functions = wanted;
    sriov_queues = device_word(1) + sriov_functions;

    pthread_spin_lock(&sriov_life_lock);
    sriov_life = SRIOV_UP;
    pthread_spin_unlock(&sriov_life_lock);
    return 0;
}

int sriov_close(void)
{
    pthread_spin_lock(&sriov_life_lock);
    if (sriov_life != SRIOV_UP) {
        pthread_spin_unlock(&sriov_life_lock);
        return -EINVAL;
    }
    sriov_life = SRIOV_STOPPING;
    pthread_spin_unlock(&sriov_life_lock);

    sriov_functions = 0;
    sriov_queues = 0;

    pthread_spin_lock(&sriov_life_lock);
    sriov_life = SRIOV_DOWN;
    pthread_spin_unlock(&sriov_life_lock);
    return 0;
}

int sriov_ioctl(int request)
{
    int found = -EINVAL;

    pthread_spin_lock(&sriov_life_lock);
    if (sriov_life == SRIOV_UP) {
        switch (request) {
        case 0:
            found = sriov_functions & 0xffff;
            break;
        case 1:
            found = sriov_queues & 0xffff;
            break;
        }
    }
    pthread_spin_unlock(&sriov_life_lock);
    return found;
}

/* ---- vf: messages of virtual functions (interrupt) ---- */

#define VF_SLOTS 4

static pthread_spinlock_t vf_irq_lock;
static int vf_enabled = 1;       /* otherwise settings may change */
static int vf_handling;          /* a handler is at work */
/* Belong to the handler while interrupts are enabled, else to who disabled them. */
static unsigned vf_slots[VF_SLOTS];
static unsigned vf_function;
static unsigned vf_message;

void vf_interrupt(unsigned cause)
{
    unsigned i;

    pthread_spin_lock(&vf_irq_lock);
    if (!vf_enabled || vf_handling) {
        pthread_spin_unlock(&vf_irq_lock);
        return;
    }
    vf_handling = 1;
    pthread_spin_unlock(&vf_irq_lock);

    vf_function = cause;
    for (i = 0; i < VF_SLOTS; i++)
        if (device_word(i) & vf_message)
            vf_slots[i]++;

    pthread_spin_lock(&vf_irq_lock);
    vf_handling = 0;
    pthread_spin_unlock(&vf_irq_lock);
}

int vf_configure(unsigned message)
{
    unsigned i;

    pthread_spin_lock(&vf_irq_lock);
    if (!vf_enabled || vf_handling) {
        pthread_spin_unlock(&vf_irq_lock);
        return -EBUSY;
    }
    vf_enabled = 0;
    pthread_spin_unlock(&vf_irq_lock);

    vf_message = message;
    for (i = 0; i < VF_SLOTS; i++)
        vf_slots[i] = 0;

    pthread_spin_lock(&vf_irq_lock);
    vf_enabled = 1;
    pthread_spin_unlock(&vf_irq_lock);
    return 0;
}

/* ---- train: equaliser training (machine) ---- */

enum train_state { TRAIN_START, TRAIN_COARSE, TRAIN_FINE, TRAIN_LOCKED };

static pthread_spinlock_t train_state_lock;
static enum train_state train_state;
static unsigned train_timeouts, train_changes;

/* The caller holds the lock. */
static void train_enter(enum train_state next)
{
    if (train_state != next)
        train_changes++;
    train_state = next;
    train_timeouts = 0;
}

void train_event(int good, int patience)
{
    pthread_spin_lock(&train_state_lock);
    switch (train_state) {
    case TRAIN_START:
        if (good)
            train_enter(TRAIN_COARSE);
        else if (++train_timeouts > (unsigned)patience)
            train_enter(TRAIN_START);
        break;
    case TRAIN_COARSE:
        if (good)
            train_enter(TRAIN_FINE);
        else if (++train_timeouts > (unsigned)patience)
            train_enter(TRAIN_START);
        break;
    case TRAIN_FINE:
        if (good)
            train_enter(TRAIN_LOCKED);
        else if (++train_timeouts > (unsigned)patience)
            train_enter(TRAIN_START);
        break;
    case TRAIN_LOCKED:
        if (!good)
            train_enter(TRAIN_START);
        break;
    }
    pthread_spin_unlock(&train_state_lock);
}

int train_is_locked(void)
{
    int found;

    pthread_spin_lock(&train_state_lock);
    found = train_state == TRAIN_LOCKED;
    pthread_spin_unlock(&train_state_lock);
    return found;
}

unsigned train_history(int clear)
{
    unsigned found;

    pthread_spin_lock(&train_state_lock);
    found = train_changes;
    if (clear)
        train_changes = 0;
    pthread_spin_unlock(&train_state_lock);
    return found;
}

/* ---- log: lines for the log (mailbox) ---- */

enum log_box { LOG_EMPTY, LOG_FILLING, LOG_FULL, LOG_DRAINING };

static pthread_spinlock_t log_box_lock;
static enum log_box log_box;
/* Belongs to the one who fills or drains the box. */
static struct { unsigned severity, line; } log_message;

static int log_move(enum log_box from, enum log_box to)
{
    int moved = 0;

    pthread_spin_lock(&log_box_lock);
    if (log_box == from) {
        log_box = to;
        moved = 1;
    }
    pthread_spin_unlock(&log_box_lock);
    return moved;
}

int log_post(unsigned severity, unsigned line)
{
    if (!log_move(LOG_EMPTY, LOG_FILLING))
        return -EBUSY;
    log_message.severity = severity;
    log_message.line = line;
    log_move(LOG_FILLING, LOG_FULL);
    return 0;
}

int log_fetch(void)
{
    unsigned sum = 0;

    if (!log_move(LOG_FULL, LOG_DRAINING))
        return -EAGAIN;
    sum += log_message.severity;
    sum += log_message.line;
    log_message.severity = 0;
    log_move(LOG_DRAINING, LOG_EMPTY);
    return sum & 0xffff;
}

/* ---- rate: rate limits (table) ---- */

#define RATE_ROWS 8

struct rate_row {
    unsigned stream;
    unsigned rate;
    int taken;
};

static pthread_spinlock_t rate_table_lock;
static struct rate_row rate_rows[RATE_ROWS];
static unsigned rate_used;

/* The caller holds the lock. */
static int rate_find(unsigned stream)
{
    int i;

    for (i = 0; i < RATE_ROWS; i++)
        if (rate_rows[i].taken && rate_rows[i].stream == stream)
            return i;
    return -1;
}

int rate_add(unsigned stream, unsigned rate)
{
    int i, found = -1;

    pthread_spin_lock(&rate_table_lock);
    if (rate_find(stream) < 0 && rate_used < RATE_ROWS) {
        for (i = 0; i < RATE_ROWS && found < 0; i++)
            if (!rate_rows[i].taken)
                found = i;
        if (found >= 0) {
            rate_rows[found].stream = stream;
            rate_rows[found].rate = rate;
            rate_rows[found].taken = 1;
            rate_used++;
        }
    }
    pthread_spin_unlock(&rate_table_lock);
    return found;
}

int rate_remove(unsigned stream)
{
    int row;

    pthread_spin_lock(&rate_table_lock);
    row = rate_find(stream);
    if (row >= 0) {
        rate_rows[row].taken = 0;
        rate_used--;
    }
    pthread_spin_unlock(&rate_table_lock);
    return row;
}

unsigned rate_lookup(unsigned stream)
{
    unsigned found = 0;
    int row;

    pthread_spin_lock(&rate_table_lock);
    row = rate_find(stream);
    if (row >= 0)
        found = rate_rows[row].rate;
    pthread_spin_unlock(&rate_table_lock);
    return found;
}

/* ---- buf: the buffer pool in use (varying) ---- */

enum buf_mode { BUF_FAST, BUF_SLOW };

static pthread_spinlock_t buf_fast_lock, buf_slow_lock;
static enum buf_mode buf_mode; /* written under both locks */
/* Under the lock of the mode. */
static unsigned buf_free;
static unsigned buf_low_water;

int buf_fast(unsigned change)
{
    int done = 0;

    pthread_spin_lock(&buf_fast_lock);
    if (buf_mode == BUF_FAST) {
        buf_free += change;
        buf_low_water ^= change;
        done = 1;
    }
    pthread_spin_unlock(&buf_fast_lock);
    return done;
}

int buf_slow(unsigned change)
{
    int done = 0;

    pthread_spin_lock(&buf_slow_lock);
    if (buf_mode == BUF_SLOW) {
        buf_free += change;
        buf_low_water ^= change;
        done = 1;
    }
    pthread_spin_unlock(&buf_slow_lock);
    return done;
}

void buf_switch(int slow)
{
    pthread_spin_lock(&buf_fast_lock);
    pthread_spin_lock(&buf_slow_lock);
    buf_mode = slow ? BUF_SLOW : BUF_FAST;
    pthread_spin_unlock(&buf_slow_lock);
    pthread_spin_unlock(&buf_fast_lock);
}

/* ---- cal: calibration (firmware) ---- */

enum cal_image { CAL_ABSENT, CAL_LOADING, CAL_LOADED };

static pthread_spinlock_t cal_image_lock;
static enum cal_image cal_image;
/* Written once, by the one who loads it; then everybody may read it. */
static unsigned cal_offset;
static unsigned cal_slope;
static unsigned cal_noise;

int cal_load(unsigned seed)
{
    pthread_spin_lock(&cal_image_lock);
    if (cal_image != CAL_ABSENT) {
        pthread_spin_unlock(&cal_image_lock);
        return -EEXIST;
    }
    cal_image = CAL_LOADING;
    pthread_spin_unlock(&cal_image_lock);

    cal_offset = device_word(0) ^ seed;
    cal_slope = device_word(1) ^ seed;
    cal_noise = device_word(2) ^ seed;

    pthread_spin_lock(&cal_image_lock);
    cal_image = CAL_LOADED;
    pthread_spin_unlock(&cal_image_lock);
    return 0;
}

static int cal_is_there(void)
{
    int there;

    pthread_spin_lock(&cal_image_lock);
    there = cal_image == CAL_LOADED;
    pthread_spin_unlock(&cal_image_lock);
    return there;
}

int cal_inquire(int which)
{
    int found = -EINVAL;

    if (!cal_is_there())
        return -ENOENT;
    if (which == 0)
        found = cal_offset & 0xffff;
    else if (which == 1)
        found = cal_slope & 0xffff;
    else if (which == 2)
        found = cal_noise & 0xffff;
    return found;
}

/* ---- err: errors by class (counters) ---- */

struct err_counters {
    unsigned long fatal;
    unsigned long corrected;
    unsigned long deferred;
};

static pthread_spinlock_t err_count_lock;
static struct err_counters err_counters;

void err_account(int event, unsigned amount)
{
    pthread_spin_lock(&err_count_lock);
    switch (event) {
    case 0:
        err_counters.fatal += 1;
        break;
    case 1:
        err_counters.corrected += 1;
        break;
    case 2:
        err_counters.deferred += 1;
        break;
    default:
        err_counters.deferred++;
    }
    pthread_spin_unlock(&err_count_lock);
}

unsigned long err_counter(int which)
{
    unsigned long found = 0;

    pthread_spin_lock(&err_count_lock);
    if (which == 0)
        found = err_counters.fatal;
    else if (which == 1)
        found = err_counters.corrected;
    else if (which == 2)
        found = err_counters.deferred;
    pthread_spin_unlock(&err_count_lock);
    return found;
}

void err_clear(void)
{
    pthread_spin_lock(&err_count_lock);
    err_counters.fatal = 0;
    err_counters.corrected = 0;
    err_counters.deferred = 0;
    pthread_spin_unlock(&err_count_lock);
}

/* ---- the driver ---- */

void probe(void)
{
    pthread_spin_init(&tx_count_lock, 0);
    pthread_spin_init(&tx_stage_lock, 0);
    pthread_spin_init(&nic_life_lock, 0);
    pthread_spin_init(&rx_irq_lock, 0);
    pthread_spin_init(&cmd_box_lock, 0);
    pthread_spin_init(&filter_fast_lock, 0);
    pthread_spin_init(&filter_slow_lock, 0);
    pthread_spin_init(&boot_image_lock, 0);
    pthread_spin_init(&mcast_table_lock, 0);
    pthread_spin_init(&link_state_lock, 0);
    pthread_spin_init(&rx_count_lock, 0);
    pthread_spin_init(&mii_stage_lock, 0);
    pthread_spin_init(&phy_life_lock, 0);
    pthread_spin_init(&event_box_lock, 0);
    pthread_spin_init(&timer_irq_lock, 0);
    pthread_spin_init(&autoneg_state_lock, 0);
    pthread_spin_init(&vlan_table_lock, 0);
    pthread_spin_init(&queue_fast_lock, 0);
    pthread_spin_init(&queue_slow_lock, 0);
    pthread_spin_init(&micro_image_lock, 0);
    pthread_spin_init(&nvram_stage_lock, 0);
    pthread_spin_init(&bus_count_lock, 0);
    pthread_spin_init(&wol_life_lock, 0);
    pthread_spin_init(&mac_irq_lock, 0);
    pthread_spin_init(&power_state_lock, 0);
    pthread_spin_init(&mgmt_box_lock, 0);
    pthread_spin_init(&flow_table_lock, 0);
    pthread_spin_init(&led_fast_lock, 0);
    pthread_spin_init(&led_slow_lock, 0);
    pthread_spin_init(&phyfw_image_lock, 0);
    pthread_spin_init(&sg_stage_lock, 0);
    pthread_spin_init(&irq_count_lock, 0);
    pthread_spin_init(&dma_life_lock, 0);
    pthread_spin_init(&dmae_irq_lock, 0);
    pthread_spin_init(&reset_state_lock, 0);
    pthread_spin_init(&diag_box_lock, 0);
    pthread_spin_init(&arp_table_lock, 0);
    pthread_spin_init(&ptp_fast_lock, 0);
    pthread_spin_init(&ptp_slow_lock, 0);
    pthread_spin_init(&table_image_lock, 0);
    pthread_spin_init(&loop_stage_lock, 0);
    pthread_spin_init(&flow_count_lock, 0);
    pthread_spin_init(&crypto_life_lock, 0);
    pthread_spin_init(&crypt_irq_lock, 0);
    pthread_spin_init(&scan_state_lock, 0);
    pthread_spin_init(&host_box_lock, 0);
    pthread_spin_init(&route_table_lock, 0);
    pthread_spin_init(&trace_fast_lock, 0);
    pthread_spin_init(&trace_slow_lock, 0);
    pthread_spin_init(&splash_image_lock, 0);
    pthread_spin_init(&dump_stage_lock, 0);
    pthread_spin_init(&pm_count_lock, 0);
    pthread_spin_init(&sriov_life_lock, 0);
    pthread_spin_init(&vf_irq_lock, 0);
    pthread_spin_init(&train_state_lock, 0);
    pthread_spin_init(&log_box_lock, 0);
    pthread_spin_init(&rate_table_lock, 0);
    pthread_spin_init(&buf_fast_lock, 0);
    pthread_spin_init(&buf_slow_lock, 0);
    pthread_spin_init(&cal_image_lock, 0);
    pthread_spin_init(&err_count_lock, 0);
}
