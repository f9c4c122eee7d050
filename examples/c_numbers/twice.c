// One number is always twice another one, in both halves of a pair of locks.
//
// expect assertions: SAFE
// expect races: SAFE

#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned single, twofold;

static void *work(void *argument)
{
    pthread_mutex_lock(&lock);
    single += 3;
    twofold += 6;
    assert(twofold == 2 * single);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    for (int i = 0; i < 1000; i++) {
        pthread_t thread;
        pthread_create(&thread, NULL, work, NULL);
    }
    return 0;
}
