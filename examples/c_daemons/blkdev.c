// A block driver: a mutex for users, a spin lock for requests and statistics; completions by interrupt.
//
// expect races: SAFE

#include <pthread.h>
#include <stdbool.h>
#include <string.h>

#define TAGS 16
#define EBUSY_ (-16)
#define ENODEV_ (-19)

struct request {
    unsigned long sector;
    unsigned count;
    bool write, pending, done;
    int status;
};

struct device {
    pthread_mutex_t lock;
    pthread_spinlock_t irq;
    int users;
    bool present;
    struct request table[TAGS];
    unsigned in_flight;
    unsigned long reads, writes, errors;
};

static struct device dev;

int blk_init(void)
{
    memset(&dev, 0, sizeof dev);
    pthread_mutex_init(&dev.lock, NULL);
    pthread_spin_init(&dev.irq, 0);
    dev.present = true;
    return 0;
}

int blk_open(void)
{
    int ret = 0;

    pthread_mutex_lock(&dev.lock);
    if (!dev.present)
        ret = ENODEV_;
    else
        dev.users++;
    pthread_mutex_unlock(&dev.lock);
    return ret;
}

void blk_release(void)
{
    pthread_mutex_lock(&dev.lock);
    dev.users--;
    if (dev.users == 0) {
        pthread_spin_lock(&dev.irq);
        dev.reads = dev.writes = 0;
        pthread_spin_unlock(&dev.irq);
    }
    pthread_mutex_unlock(&dev.lock);
}

int blk_submit(unsigned long sector, unsigned count, bool write)
{
    int tag = EBUSY_;

    pthread_spin_lock(&dev.irq);
    for (int i = 0; i < TAGS; i++) {
        struct request *r = &dev.table[i];

        if (!r->pending) {
            r->sector = sector;
            r->count = count;
            r->write = write;
            r->pending = true;
            r->done = false;
            r->status = 0;
            dev.in_flight++;
            tag = i;
            break;
        }
    }
    pthread_spin_unlock(&dev.irq);
    return tag;
}

void blk_complete(int tag, int status)
{
    struct request *r;

    if (tag < 0 || tag >= TAGS)
        return;
    r = &dev.table[tag];
    pthread_spin_lock(&dev.irq);
    if (r->pending) {
        r->pending = false;
        r->done = true;
        r->status = status;
        dev.in_flight--;
        if (status != 0)
            dev.errors++;
        else if (r->write)
            dev.writes += r->count;
        else
            dev.reads += r->count;
    }
    pthread_spin_unlock(&dev.irq);
}

int blk_stat(unsigned long *reads, unsigned long *writes, unsigned long *errors)
{
    int users;

    pthread_mutex_lock(&dev.lock);
    users = dev.users;
    pthread_spin_lock(&dev.irq);
    *reads = dev.reads;
    *writes = dev.writes;
    *errors = dev.errors;
    pthread_spin_unlock(&dev.irq);
    pthread_mutex_unlock(&dev.lock);
    return users;
}
