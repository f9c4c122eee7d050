// Thread functions come from a table; with RACY: the second one does not take the lock.
//
// expect races: SAFE
// expect -D RACY races: UNSAFE

#include <pthread.h>
static int a, b;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *first(void *arg)
{
    pthread_mutex_lock(&m);
    a++;
    pthread_mutex_unlock(&m);
    return arg;
}
static void *second(void *arg)
{
#ifdef RACY
    a++;
#endif
    b++;
    return arg;
}
static void *(*const bodies[])(void *) = { first, second, first };
int main(void)
{
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, bodies[i], NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return a + b;
}
