// Trying fails only at zero, with errno; so does a time limit.
//
// expect assertions: SAFE
// expect -D ALWAYS assertions: UNSAFE

#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t semaphore;

static void *work(void *unused)
{
    struct timespec until = { 1, 0 };
    int result = sem_timedwait(&semaphore, &until);
#ifdef ALWAYS
    assert(result == 0);
#endif
    assert(result == 0 || (result == -1 && errno == ETIMEDOUT));
    if (result == 0)
        sem_post(&semaphore);
    return NULL;
}

int main(void)
{
    struct timespec until = { 1, 0 };
    pthread_t thread;
    sem_init(&semaphore, 0, 1);
    pthread_create(&thread, NULL, work, NULL);
    if (sem_trywait(&semaphore) == 0)
        sem_post(&semaphore);
    else
        assert(errno == EAGAIN);
    pthread_join(thread, NULL);
    assert(sem_trywait(&semaphore) == 0);
    assert(sem_trywait(&semaphore) == -1 && errno == EAGAIN);
    assert(sem_clockwait(&semaphore, CLOCK_MONOTONIC, &until) == -1 && errno == ETIMEDOUT);
    return 0;
}
