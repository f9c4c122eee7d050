// The bug: less is reserved than is given back. The correct program is reserve.c.
//
// expect assertions: UNSAFE
// expect races: SAFE

#include <assert.h>
#include <pthread.h>

#define LIMIT 50
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int reserved;

static void *work(void *argument)
{
    pthread_mutex_lock(&lock);
    if (reserved + 10 > LIMIT) {
        pthread_mutex_unlock(&lock);
        return NULL;
    }
    reserved += 8;
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    assert(reserved >= 8 && reserved <= LIMIT);
    reserved -= 10;
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
