// Values of a pthread key, and a sum under a lock; with RACY: the sum is without.
//
// expect races: SAFE
// expect -D RACY races: UNSAFE

#include <pthread.h>
#include <stdlib.h>
static pthread_key_t key;
static int total;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void gone(void *p) { free(p); }
static void *worker(void *arg)
{
    int *mine = malloc(sizeof *mine);
    if (!mine)
        return arg;
    *mine = 0;
    pthread_setspecific(key, mine);
    for (int i = 0; i < 5; i++)
        ++*(int *)pthread_getspecific(key);
#ifdef RACY
    total += *(int *)pthread_getspecific(key);
#else
    pthread_mutex_lock(&m);
    total += *(int *)pthread_getspecific(key);
    pthread_mutex_unlock(&m);
#endif
    return arg;
}
int main(void)
{
    pthread_t s, t;
    pthread_key_create(&key, gone);
    pthread_create(&s, 0, worker, 0);
    pthread_create(&t, 0, worker, 0);
    pthread_join(s, 0);
    pthread_join(t, 0);
    return total;
}
