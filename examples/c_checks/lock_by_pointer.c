// A lock that is passed by pointer; with RACY: another one.
//
// expect races: SAFE
// expect -D RACY races: UNSAFE

#include <pthread.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static int data;
static void update(pthread_mutex_t *m, int v)
{
    pthread_mutex_lock(m);
    data += v;
    pthread_mutex_unlock(m);
}
static void *worker(void *arg)
{
    update(&a, 1);
    return arg;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
#ifdef RACY
    update(&b, 2);
#else
    update(&a, 2);
#endif
    pthread_join(t, NULL);
    return data;
}
