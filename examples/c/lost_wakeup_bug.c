// The bug: the flag is set and signalled without the mutex, between the test of the flag and the
// wait. The correct program is lost_wakeup.c.
//
// expect assertions: SAFE
// expect races: UNSAFE
// expect deadlocks: UNSAFE
// expect mutex: SAFE

#include <pthread.h>

static int done;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t finished = PTHREAD_COND_INITIALIZER;

static void *work(void *unused)
{
    done = 1;
    pthread_cond_signal(&finished);
    return NULL;
}

int main(void)
{
    pthread_t worker;
    pthread_create(&worker, NULL, work, NULL);
    pthread_mutex_lock(&lock);
    while (!done)
        pthread_cond_wait(&finished, &lock);
    pthread_mutex_unlock(&lock);
    pthread_join(worker, NULL);
    return 0;
}
