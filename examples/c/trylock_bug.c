// The bug: the result of trylock is ignored: the counter is not protected, and a lock may be
// released that the thread does not have. The correct program is trylock.c.
//
// expect assertions: SAFE
// expect races: UNSAFE
// expect deadlocks: SAFE
// expect mutex: UNSAFE

#include <assert.h>
#include <pthread.h>

static int counter;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *unused)
{
    pthread_mutex_trylock(&lock);
    counter++;
    assert(counter <= 2);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t first, second;
    pthread_create(&first, NULL, work, NULL);
    pthread_create(&second, NULL, work, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    assert(counter >= 1);
    return 0;
}
