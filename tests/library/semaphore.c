// A semaphore lets so many threads in.
//
// expect assertions: SAFE
// expect races: SAFE
// expect deadlocks: SAFE
// expect -D TWO races: UNSAFE
// expect -D NONE deadlocks: UNSAFE

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>

#ifdef TWO
#define VALUE 2
#elif defined NONE
#define VALUE 0
#else
#define VALUE 1
#endif

static int shared;
static sem_t semaphore;

static void *work(void *unused)
{
    assert(sem_wait(&semaphore) == 0);
    shared++;
    assert(sem_post(&semaphore) == 0);
    return NULL;
}

int main(void)
{
    int value;
    pthread_t thread;
    assert(sem_init(&semaphore, 0, (unsigned int)SEM_VALUE_MAX + 1) == -1 && errno == EINVAL);
    assert(sem_init(&semaphore, 0, VALUE) == 0);
    pthread_create(&thread, NULL, work, NULL);
    work(NULL);
    pthread_join(thread, NULL);
    assert(sem_getvalue(&semaphore, &value) == 0 && value == VALUE);
    assert(sem_destroy(&semaphore) == 0);
    assert(sem_init(&semaphore, 0, SEM_VALUE_MAX) == 0);
    assert(sem_post(&semaphore) == -1 && errno == EOVERFLOW);
    return 0;
}
