// A signal wakes one of those that wait when it is sent (pthread_cond_signal); nobody later gets it.
//
// expect assertions: SAFE
// expect races: SAFE
// expect -D LATE assertions: SAFE
// expect -D UNHELD mutex: UNSAFE
// expect -D BOTH deadlocks: UNSAFE
// expect -D BOTH assertions: UNSAFE

#include <assert.h>
#include <errno.h>
#include <pthread.h>

static int waiting, woken;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static void *wait(void *late)
{
    pthread_mutex_lock(&lock);
    waiting++;
    assert(pthread_cond_wait(&changed, &lock) == 0);
    woken++;
    assert(!late);
#ifdef BOTH
    assert(woken < 2);
#else
    assert(woken == 1);
#endif
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void send(void)
{
    pthread_mutex_lock(&lock);
    if (waiting >= 1)
        pthread_cond_signal(&changed);
#ifdef BOTH
    if (waiting == 2)
        pthread_cond_signal(&changed);
#endif
    pthread_mutex_unlock(&lock);
}

int main(void)
{
    pthread_t first, second;
#ifdef UNHELD
    pthread_cond_wait(&changed, &lock);
#endif
    pthread_create(&first, NULL, wait, NULL);
#ifdef LATE
    send();
    pthread_create(&second, NULL, wait, &waiting);
#else
    pthread_create(&second, NULL, wait, NULL);
    send();
#endif
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
