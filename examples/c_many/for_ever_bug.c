// The bug: the look is outside the lock. The correct program is for_ever.c.
//
// expect assertions: UNSAFE
// expect races: UNSAFE

#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int low, high;

static void *work(void *argument)
{
    pthread_mutex_lock(&lock);
    low = low - 1;
    high = high + 1;
    low = low + 1;
    high = high - 1;
    pthread_mutex_unlock(&lock);
    assert(low == 0 && high == 0);
    return NULL;
}

int main(void)
{
    while (1) {
        pthread_t thread;
        pthread_create(&thread, NULL, work, NULL);
    }
}
