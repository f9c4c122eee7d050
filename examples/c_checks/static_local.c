// A static local variable under a lock; with RACY: without.
//
// expect races: SAFE
// expect -D RACY races: UNSAFE

#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int next_id(void)
{
    static int id = 100;
    int got;
#ifdef RACY
    got = id++;
#else
    pthread_mutex_lock(&m);
    got = id++;
    pthread_mutex_unlock(&m);
#endif
    return got;
}
static void *worker(void *arg)
{
    (void)arg;
    return (void *)(long)next_id();
}
int main(void)
{
    pthread_t s, t;
    pthread_create(&s, 0, worker, 0);
    pthread_create(&t, 0, worker, 0);
    next_id();
    pthread_join(s, 0);
    pthread_join(t, 0);
    return 0;
}
