// The bug: the last thread is not waited for. The correct program is joined.c.
//
// expect assertions: SAFE
// expect races: UNSAFE

#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int last;

static void *work(void *argument)
{
    pthread_mutex_lock(&lock);
    last = 1;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t threads[10000];
    for (int i = 0; i < 10000; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    last = 1;
    for (int i = 0; i < 9999; i++)
        pthread_join(threads[i], NULL);
    assert(last == 1);
    return 0;
}
