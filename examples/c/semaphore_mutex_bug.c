// The bug: the semaphore lets two threads in. The correct program is semaphore_mutex.c.
//
// expect assertions: UNSAFE
// expect races: UNSAFE
// expect deadlocks: SAFE
// expect mutex: SAFE

#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static int counter;
static sem_t guard;

static void *work(void *unused)
{
    sem_wait(&guard);
    counter++;
    sem_post(&guard);
    return NULL;
}

int main(void)
{
    pthread_t first, second;
    sem_init(&guard, 0, 2);
    pthread_create(&first, NULL, work, NULL);
    pthread_create(&second, NULL, work, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    assert(counter == 2);
    sem_destroy(&guard);
    return 0;
}
