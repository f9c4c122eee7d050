// A network driver of 24 units; 16 of them protect data by state.
// Made by benchmarks/hjmq/generate.py.
// check with: --entry-init probe --entry tx_account,tx_counter,tx_clear,tx_submit,tx_peek,tx_refusals,nic_open,nic_close,nic_ioctl,rx_interrupt,rx_configure,cmd_post,cmd_fetch,filter_fast,filter_slow,filter_switch,boot_load,boot_inquire,mcast_add,mcast_remove,mcast_lookup,link_event,link_is_broken,link_history,rx_account,rx_counter,rx_clear,mii_submit,mii_peek,mii_refusals,phy_open,phy_close,phy_ioctl,event_post,event_fetch,timer_interrupt,timer_configure,autoneg_event,autoneg_is_done,autoneg_history,vlan_add,vlan_remove,vlan_lookup,queue_fast,queue_slow,queue_switch,micro_load,micro_inquire,nvram_submit,nvram_peek,nvram_refusals,bus_account,bus_counter,bus_clear,wol_open,wol_close,wol_ioctl,mac_interrupt,mac_configure,power_event,power_is_waking,power_history,mgmt_post,mgmt_fetch
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
#ifdef BUG
    if (!rx_enabled) {
#else
    if (!rx_enabled || rx_handling) {
#endif
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
}
