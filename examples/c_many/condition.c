// Ten thousand threads wait until main opens the gate.
//
// expect assertions: SAFE
// expect races: SAFE

#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t opened = PTHREAD_COND_INITIALIZER;
static int gate;
static int value;

static void *work(void *argument)
{
    pthread_mutex_lock(&lock);
    while (!gate)
        pthread_cond_wait(&opened, &lock);
    assert(value == 7);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    for (int i = 0; i < 10000; i++)
        pthread_create(&thread, NULL, work, NULL);
    pthread_mutex_lock(&lock);
    value = 7;
    gate = 1;
    pthread_cond_broadcast(&opened);
    pthread_mutex_unlock(&lock);
    return 0;
}
