// A semaphore as a lock of any number of threads; with BUG it begins with two.
//
// expect assertions: SAFE
// expect -D BUG assertions: UNSAFE

#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t sem;
static int inside;

static void *worker(void *argument)
{
    sem_wait(&sem);
    inside++;
    assert(inside == 1);
    inside--;
    sem_post(&sem);
    return argument;
}

int main(void)
{
#ifdef BUG
    sem_init(&sem, 0, 2);
#else
    sem_init(&sem, 0, 1);
#endif
    for (int i = 0; i < 1000; i++) {
        pthread_t t;
        pthread_create(&t, NULL, worker, NULL);
    }
    return 0;
}
