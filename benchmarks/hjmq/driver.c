// A network driver in miniature: any number of callers of each entry point. Statistics and the ring are protected by a
// spin lock, the staging buffer by `busy`, the configuration by the state, the firmware image by who loads it.
// check with: --entry-init device_probe --entry device_open,device_close,device_transmit,device_interrupt,device_ioctl,device_statistics
// expect races: SAFE
#include <pthread.h>

#define RING 8
#define FRAME 4

enum state { DOWN, STARTING, UP, STOPPING };

struct ring {
    int frames[RING];
    unsigned head, tail, used;
};

struct statistics {
    unsigned long sent, received, dropped, interrupts;
};

static pthread_spinlock_t lock;      /* state, busy, ring, statistics, interrupts */
static enum state state = DOWN;
static int busy;                     /* whoever sets it owns the staging buffer */
static int interrupts;               /* enabled: the handler owns `pending` */
static struct ring ring;
static struct statistics statistics;

static int staging[FRAME];           /* protected by `busy` */
static int mtu = 1500, duplex;       /* written while STARTING or STOPPING, read while UP and locked */
static int firmware_version;         /* written by the one who goes from DOWN to STARTING, read while UP and locked */
static int pending;                  /* what the handler has not fetched */

void device_probe(void)
{
    pthread_spin_init(&lock, 0);
}

static int read_register(int number)
{
    return number * 7 + 1;
}

int device_open(int wanted_mtu)
{
    pthread_spin_lock(&lock);
    if (state != DOWN) {
        pthread_spin_unlock(&lock);
        return -1;
    }
    state = STARTING;
    pthread_spin_unlock(&lock);

    firmware_version = read_register(1);
    mtu = wanted_mtu;
    duplex = firmware_version > 3;

    pthread_spin_lock(&lock);
    ring.head = ring.tail = ring.used = 0;
    interrupts = 1;
    state = UP;
    pthread_spin_unlock(&lock);
    return 0;
}

int device_close(void)
{
    pthread_spin_lock(&lock);
    if (state != UP || busy) {
        pthread_spin_unlock(&lock);
        return -1;
    }
    state = STOPPING;
    interrupts = 0;
    pthread_spin_unlock(&lock);

    mtu = 1500;
    duplex = 0;

    pthread_spin_lock(&lock);
    state = DOWN;
    pthread_spin_unlock(&lock);
#ifdef BUG
    firmware_version = 0; /* somebody may be opening the device again */
#endif
    return 0;
}

int device_transmit(int first, int second)
{
    pthread_spin_lock(&lock);
    if (state != UP || busy) {
        statistics.dropped++;
        pthread_spin_unlock(&lock);
        return -1;
    }
    busy = 1;
    pthread_spin_unlock(&lock);

    staging[0] = first;
    staging[1] = second;
    staging[2] = first ^ second;
    staging[3] = 0;

    pthread_spin_lock(&lock);
    if (ring.used < RING && first <= mtu) {
        ring.frames[ring.head] = staging[0] + staging[1] + staging[2];
        ring.head = (ring.head + 1) % RING;
        ring.used++;
    } else {
        statistics.dropped++;
    }
    busy = 0;
    pthread_spin_unlock(&lock);
    return 0;
}

void device_interrupt(void)
{
    pthread_spin_lock(&lock);
    if (!interrupts) {
        pthread_spin_unlock(&lock);
        return;
    }
    statistics.interrupts++;
    pending = read_register(2);
    if (ring.used > 0) {
        ring.tail = (ring.tail + 1) % RING;
        ring.used--;
        statistics.sent++;
    }
    if (pending > 3)
        statistics.received++;
    pthread_spin_unlock(&lock);
}

int device_ioctl(int command)
{
    int found = -1;
    pthread_spin_lock(&lock);
    if (state == UP) {
        if (command == 1)
            found = mtu;
        else if (command == 2)
            found = duplex;
        else if (command == 3)
            found = firmware_version;
    }
    pthread_spin_unlock(&lock);
    return found;
}

unsigned long device_statistics(int which)
{
    pthread_spin_lock(&lock);
    unsigned long found = which == 0 ? statistics.sent : which == 1 ? statistics.dropped : statistics.interrupts;
    pthread_spin_unlock(&lock);
    return found;
}
