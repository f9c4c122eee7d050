// Readers hold one of two locks, writers both; with RACY: writers hold one.
//
// expect races: SAFE
// expect -D RACY races: UNSAFE

#include <pthread.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static int shared;
static void *reader1(void *arg)
{
    pthread_mutex_lock(&a);
    int v = shared;
    pthread_mutex_unlock(&a);
    return v ? arg : NULL;
}
static void *reader2(void *arg)
{
    pthread_mutex_lock(&b);
    int v = shared;
    pthread_mutex_unlock(&b);
    return v ? arg : NULL;
}
static void *writer(void *arg)
{
    pthread_mutex_lock(&a);
#ifndef RACY
    pthread_mutex_lock(&b);
#endif
    shared++;
#ifndef RACY
    pthread_mutex_unlock(&b);
#endif
    pthread_mutex_unlock(&a);
    return arg;
}
int main(void)
{
    pthread_t t[4];
    pthread_create(&t[0], 0, reader1, 0);
    pthread_create(&t[1], 0, reader2, 0);
    pthread_create(&t[2], 0, writer, 0);
    pthread_create(&t[3], 0, writer, 0);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], 0);
    return 0;
}
