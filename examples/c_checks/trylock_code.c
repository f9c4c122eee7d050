// What trylock returns says who has the lock; with RACY: the other counter is changed under the wrong lock.
//
// expect races: SAFE
// expect -D RACY races: UNSAFE

#include <pthread.h>
#include <errno.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static long hits, misses;
static pthread_mutex_t n = PTHREAD_MUTEX_INITIALIZER;
static void *worker(void *arg)
{
    int rc = pthread_mutex_trylock(&m);
    if (rc == EBUSY) {
        pthread_mutex_lock(&n);
        misses++;
        pthread_mutex_unlock(&n);
        return arg;
    }
#ifdef RACY
    misses--;
#endif
    hits++;
    pthread_mutex_unlock(&m);
    return arg;
}
int main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], 0, worker, 0);
    if (pthread_mutex_trylock(&m) == 0) {
        hits = 0;
        pthread_mutex_unlock(&m);
    }
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], 0);
    return 0;
}
