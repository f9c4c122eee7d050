// The bug: those that do not get the lock change x as well. The correct program is try_lock.c.
//
// expect assertions: UNSAFE
// expect races: UNSAFE

#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int x;

static void *work(void *argument)
{
    if (pthread_mutex_trylock(&lock) == 0) {
        x = 1;
        assert(x == 1);
        x = 0;
        pthread_mutex_unlock(&lock);
    } else {
        x = 0;
    }
    return NULL;
}

int main(void)
{
    pthread_t thread;
    for (int i = 0; i < 10000; i++)
        pthread_create(&thread, NULL, work, NULL);
    return 0;
}
