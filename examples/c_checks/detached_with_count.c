// Detached threads count down, and main waits for zero; with RACY: a thread writes after it has counted.
//
// expect races: SAFE
// expect -D RACY races: UNSAFE

#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t none_left = PTHREAD_COND_INITIALIZER;
static int living, sum;
static void *worker(void *arg)
{
    pthread_mutex_lock(&m);
    sum += (int)(long)arg;
    if (--living == 0)
        pthread_cond_signal(&none_left);
    pthread_mutex_unlock(&m);
#ifdef RACY
    sum++;
#endif
    return NULL;
}
int main(void)
{
    for (long i = 0; i < 3; i++) {
        pthread_t t;
        pthread_mutex_lock(&m);
        living++;
        pthread_mutex_unlock(&m);
        if (pthread_create(&t, NULL, worker, (void *)i) == 0)
            pthread_detach(t);
        else
            return 1;
    }
    pthread_mutex_lock(&m);
    while (living > 0)
        pthread_cond_wait(&none_left, &m);
    pthread_mutex_unlock(&m);
    return sum;
}
