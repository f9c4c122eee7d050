// What threads have reserved is never more than the limit: reserve, use, give back.
//
// expect assertions: SAFE
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
    reserved += 10;
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    assert(reserved >= 10 && reserved <= LIMIT);
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
