// Threads are created for ever; none is waited for.
//
// expect assertions: SAFE
// expect races: SAFE

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
    assert(low == 0 && high == 0);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    while (1) {
        pthread_t thread;
        pthread_create(&thread, NULL, work, NULL);
    }
}
