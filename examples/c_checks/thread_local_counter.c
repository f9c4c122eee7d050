// A thread-local counter; with RACY: one for all threads.
//
// expect races: SAFE
// expect -D RACY races: UNSAFE

#include <pthread.h>
#ifdef RACY
static int mine;
#else
static __thread int mine;
#endif
static int total;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void work(int *p)
{
    for (int i = 0; i < 10; i++)
        (*p)++;
}
static void *worker(void *arg)
{
    work(&mine);
    pthread_mutex_lock(&m);
    total += mine;
    pthread_mutex_unlock(&m);
    return arg;
}
int main(void)
{
    pthread_t t[4];
    for (int i = 0; i < 4; i++)
        pthread_create(t + i, NULL, worker, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    return total;
}
