// The bug: the end is counted first. The correct program is counter_atomic_pair.c.
//
// expect assertions: UNSAFE
// expect races: SAFE

#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned long begun, finished;

static void *work(void *argument)
{
    pthread_mutex_lock(&lock);
    if (begun < 1000000000ul) {
        finished++;
        pthread_mutex_unlock(&lock);
        pthread_mutex_lock(&lock);
        begun++;
    }
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *look(void *argument)
{
    pthread_mutex_lock(&lock);
    assert(finished <= begun);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    while (1) {
        pthread_t thread;
        pthread_create(&thread, NULL, work, NULL);
        pthread_create(&thread, NULL, look, NULL);
    }
}
