// The character device of chardev.c, whose dev_poll looks at the fill level without the mutex.
//
// expect races: UNSAFE

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <stddef.h>
#include <sys/types.h>

#define SIZE 1024

static pthread_mutex_t dev_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t dev_wait = PTHREAD_COND_INITIALIZER;
static char buffer[SIZE];
static size_t rpos, wpos, fill;
static int overrun, raw_mode, threshold = 1;
static unsigned irqs;

extern int hw_has_data(void);
extern char hw_read(void);

static void push(char c)
{
    if (fill == SIZE) {
        overrun = 1;
        return;
    }
    buffer[wpos] = c;
    wpos = (wpos + 1) % SIZE;
    fill++;
}

void dev_interrupt(void)
{
    pthread_mutex_lock(&dev_mutex);
    irqs++;
    while (hw_has_data()) {
        char c = hw_read();

        if (!raw_mode && c == '\r')
            c = '\n';
        push(c);
    }
    if (fill >= (size_t)threshold)
        pthread_cond_broadcast(&dev_wait);
    pthread_mutex_unlock(&dev_mutex);
}

ssize_t dev_read(char *to, size_t n, int nonblock)
{
    size_t i;

    if (to == NULL)
        return -EFAULT;
    pthread_mutex_lock(&dev_mutex);
    while (fill == 0) {
        if (nonblock) {
            pthread_mutex_unlock(&dev_mutex);
            return -EAGAIN;
        }
        pthread_cond_wait(&dev_wait, &dev_mutex);
    }
    for (i = 0; i < n && fill > 0; i++) {
        to[i] = buffer[rpos];
        rpos = (rpos + 1) % SIZE;
        fill--;
    }
    pthread_mutex_unlock(&dev_mutex);
    return (ssize_t)i;
}

ssize_t dev_write(const char *from, size_t n)
{
    size_t i;

    if (from == NULL)
        return -EFAULT;
    pthread_mutex_lock(&dev_mutex);
    for (i = 0; i < n && fill < SIZE; i++)
        push(from[i]);
    pthread_cond_broadcast(&dev_wait);
    pthread_mutex_unlock(&dev_mutex);
    return (ssize_t)i;
}

int dev_poll(void)
{
    int ready;

    ready = fill >= (size_t)threshold;
    return ready;
}

int dev_ioctl(unsigned cmd, int arg)
{
    int ret = 0;

    pthread_mutex_lock(&dev_mutex);
    switch (cmd) {
    case 0:
        raw_mode = arg != 0;
        break;
    case 1:
        if (arg < 1 || arg > SIZE)
            ret = -EINVAL;
        else
            threshold = arg;
        break;
    case 2:
        ret = overrun;
        overrun = 0;
        break;
    case 3:
        rpos = wpos = fill = 0;
        break;
    default:
        ret = -ENOTTY;
    }
    pthread_mutex_unlock(&dev_mutex);
    return ret;
}
