// Data is handed over by a flag and a condition variable; with RACY: and written again afterwards.
//
// expect races: SAFE
// expect -D RACY races: UNSAFE

#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int full, data;
static void *producer(void *arg)
{
    data = 42;
    pthread_mutex_lock(&m);
    full = 1;
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
#ifdef RACY
    data = 43;
#endif
    return arg;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, producer, NULL);
    pthread_mutex_lock(&m);
    while (!full)
        pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
    data++;
    pthread_join(t, NULL);
    return data;
}
