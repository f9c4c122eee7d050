// Two members of a union, under a lock; with RACY: one of them without.
//
// expect races: SAFE
// expect -D RACY races: UNSAFE

#include <pthread.h>
union value { int number; float real; unsigned char bytes[4]; };
static union value v;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *set_number(void *arg)
{
    pthread_mutex_lock(&m);
    v.number = 5;
    pthread_mutex_unlock(&m);
    return arg;
}
static void *set_real(void *arg)
{
#ifdef RACY
    v.real = 1.5f;
#else
    pthread_mutex_lock(&m);
    v.real = 1.5f;
    pthread_mutex_unlock(&m);
#endif
    return arg;
}
int main(void)
{
    pthread_t s, t;
    pthread_create(&s, 0, set_number, 0);
    pthread_create(&t, 0, set_real, 0);
    pthread_join(s, 0);
    pthread_join(t, 0);
    return v.bytes[0];
}
