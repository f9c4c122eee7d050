// A helper takes the lock if its caller has not; with RACY: one caller says so, and has not.
//
// expect races: SAFE
// expect -D RACY races: UNSAFE

#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int counter;
static void add(int n, int need_lock)
{
    if (need_lock)
        pthread_mutex_lock(&m);
    counter += n;
    if (need_lock)
        pthread_mutex_unlock(&m);
}
static void *worker(void *arg)
{
    (void)arg;
#ifdef RACY
    add(1, 0);
#else
    add(1, 1);
#endif
    pthread_mutex_lock(&m);
    add(2, 0);
    pthread_mutex_unlock(&m);
    return NULL;
}
int main(void)
{
    pthread_t t, u;
    add(5, 0);
    pthread_create(&t, NULL, worker, NULL);
    pthread_create(&u, NULL, worker, NULL);
    add(5, 1);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    add(7, 0);
    return counter;
}
