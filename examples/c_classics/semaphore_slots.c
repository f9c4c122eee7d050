// Two semaphores around one slot: items come out in order; with BUG the semaphore of free slots begins with two.
//
// expect assertions: SAFE
// expect -D BUG assertions: UNSAFE

#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t slots, items;
static unsigned slot;

static void *producer(void *argument)
{
    for (unsigned i = 1;; i++) {
        sem_wait(&slots);
        slot = i;
        sem_post(&items);
    }
    return argument;
}

static void *consumer(void *argument)
{
    for (unsigned expected = 1;; expected++) {
        sem_wait(&items);
        assert(slot == expected);
        sem_post(&slots);
    }
    return argument;
}

int main(void)
{
    pthread_t p, c;
#ifdef BUG
    sem_init(&slots, 0, 2);
#else
    sem_init(&slots, 0, 1);
#endif
    sem_init(&items, 0, 0);
    pthread_create(&p, NULL, producer, NULL);
    pthread_create(&c, NULL, consumer, NULL);
    pthread_join(p, NULL);
    return 0;
}
