// Destroying ends the life of a mutex: a locked or destroyed one, and any use after, is misuse.
//
// expect mutex: SAFE
// expect -D LOCKED mutex: UNSAFE
// expect -D TWICE mutex: UNSAFE
// expect -D USED mutex: UNSAFE

#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

int main(void)
{
#ifdef LOCKED
    pthread_mutex_lock(&mutex);
#endif
    assert(pthread_mutex_destroy(&mutex) == 0);
#ifdef TWICE
    pthread_mutex_destroy(&mutex);
#endif
#ifdef USED
    pthread_mutex_lock(&mutex);
#endif
    pthread_mutex_init(&mutex, NULL);
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    return 0;
}
