// A wrapper that locks returns whether it did; with RACY: nobody looks at that.
//
// expect races: SAFE
// expect -D RACY races: UNSAFE

#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int shared, closed;
static int enter(void)
{
    pthread_mutex_lock(&m);
    if (closed) {
        pthread_mutex_unlock(&m);
        return -1;
    }
    return 0;
}
static void leave(void) { pthread_mutex_unlock(&m); }
static void *worker(void *arg)
{
#ifdef RACY
    int status = enter();
    shared++;
    if (status == 0)
        leave();
#else
    if (enter() == 0) {
        shared++;
        leave();
    }
#endif
    return arg;
}
int main(void)
{
    pthread_t s, t;
    pthread_create(&s, NULL, worker, NULL);
    pthread_create(&t, NULL, worker, NULL);
    pthread_mutex_lock(&m);
    closed = 1;
    pthread_mutex_unlock(&m);
    pthread_join(s, NULL);
    pthread_join(t, NULL);
    return 0;
}
