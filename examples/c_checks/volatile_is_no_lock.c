// A volatile flag under a lock; with RACY: without: volatile is no synchronisation.
//
// expect races: SAFE
// expect -D RACY races: UNSAFE

#include <pthread.h>
static volatile int done;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *worker(void *arg)
{
#ifdef RACY
    done = 1;
#else
    pthread_mutex_lock(&m);
    done = 1;
    pthread_mutex_unlock(&m);
#endif
    return arg;
}
int main(void)
{
    pthread_t t;
    int seen = 0;
    pthread_create(&t, 0, worker, 0);
    while (!seen) {
        pthread_mutex_lock(&m);
        seen = done;
        pthread_mutex_unlock(&m);
    }
    pthread_join(t, 0);
    return 0;
}
