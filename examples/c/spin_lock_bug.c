// The bug: the lock is only tried. The correct program is spin_lock.c.
//
// expect assertions: UNSAFE
// expect races: UNSAFE
// expect deadlocks: SAFE
// expect mutex: SAFE

#include <assert.h>
#include <pthread.h>

static int counter;
static pthread_spinlock_t lock;

static void *work(void *unused)
{
    int busy = pthread_spin_trylock(&lock);
    counter++;
    if (!busy)
        pthread_spin_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t first, second;
    pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
    pthread_create(&first, NULL, work, NULL);
    pthread_create(&second, NULL, work, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    assert(counter == 2);
    pthread_spin_destroy(&lock);
    return 0;
}
