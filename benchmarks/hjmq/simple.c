// Simple (Table 2): any number of callers write under one lock.
// check with: --entry work
// expect races: SAFE
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int x;

void work(int i)
{
    pthread_mutex_lock(&m);
#ifdef BUG
    pthread_mutex_unlock(&m);
    x = i;
#else
    x = i;
    pthread_mutex_unlock(&m);
#endif
}
