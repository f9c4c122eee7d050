// Ten thousand threads: every write of x takes both locks, every look one of them.
//
// expect assertions: SAFE
// expect races: SAFE

#include <assert.h>
#include <pthread.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t b = PTHREAD_MUTEX_INITIALIZER;
static int x;
static int y;

static void *work(void *argument)
{
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b);
    x = x + 1;
    y = x;
    pthread_mutex_unlock(&b);
    assert(x == y);
    pthread_mutex_unlock(&a);
    pthread_mutex_lock(&b);
    assert(x == y);
    pthread_mutex_unlock(&b);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    for (int i = 0; i < 10000; i++)
        pthread_create(&thread, NULL, work, NULL);
    return 0;
}
