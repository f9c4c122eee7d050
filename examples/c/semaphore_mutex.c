// A semaphore with the value 1 guards a counter.
//
// expect assertions: SAFE
// expect races: SAFE
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
    sem_init(&guard, 0, 1);
    pthread_create(&first, NULL, work, NULL);
    pthread_create(&second, NULL, work, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    assert(counter == 2);
    sem_destroy(&guard);
    return 0;
}
