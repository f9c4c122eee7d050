// A network driver of 9 units; 6 of them protect data by state.
// Made by benchmarks/hjmq/generate.py.
// check with: --entry-init probe --entry tx_account,tx_counter,tx_clear,tx_submit,tx_peek,tx_refusals,nic_open,nic_close,nic_ioctl,rx_interrupt,rx_configure,cmd_post,cmd_fetch,filter_fast,filter_slow,filter_switch,boot_load,boot_inquire,mcast_add,mcast_remove,mcast_lookup,link_event,link_is_broken,link_history
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
#ifdef BUG
    if (nic_life != NIC_DOWN) {
#else
    if (nic_life == NIC_UP) {
#endif
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
}
