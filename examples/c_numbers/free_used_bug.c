// The bug: what is given back is counted in two sections. The correct program is free_used.c.
//
// expect assertions: UNSAFE
// expect races: SAFE

#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int available = 100;
static int used;

static void *work(void *argument)
{
    int got = 0;
    pthread_mutex_lock(&lock);
    if (available > 0) {
        available--;
        used++;
        got = 1;
    }
    assert(available + used == 100);
    pthread_mutex_unlock(&lock);
    if (got) {
        pthread_mutex_lock(&lock);
        available++;
        pthread_mutex_unlock(&lock);
        pthread_mutex_lock(&lock);
        used--;
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

int main(void)
{
    while (1) {
        pthread_t thread;
        pthread_create(&thread, NULL, work, NULL);
    }
}
