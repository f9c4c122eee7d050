// The bug: a lost wake-up. The consumer waits without looking whether the data is there already; a
// signal sent before is lost, and it waits forever. The correct program is condvar_handover.c.
//
// expect assertions: SAFE
// expect races: SAFE
// expect deadlocks: UNSAFE
// expect mutex: SAFE

#include <assert.h>
#include <pthread.h>

static int data, ready;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static void *consume(void *unused)
{
    pthread_mutex_lock(&lock);
    pthread_cond_wait(&changed, &lock);
    assert(data == 7);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t consumer;
    pthread_create(&consumer, NULL, consume, NULL);
    pthread_mutex_lock(&lock);
    data = 7;
    ready = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    pthread_join(consumer, NULL);
    return 0;
}
