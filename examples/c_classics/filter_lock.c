// The filter lock of three threads and two levels; with BUG a level is left after looking twice.
//
// expect races: SAFE
// expect -D BUG races: UNSAFE

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#define N 3
static atomic_int level[N];
static atomic_int victim[N];
static long total;

static int above(int me, int l)
{
    for (int k = 0; k < N; k++)
        if (k != me && atomic_load(&level[k]) >= l)
            return 1;
    return 0;
}

static void lock(int me)
{
    for (int l = 1; l < N; l++) {
        atomic_store(&level[me], l);
        atomic_store(&victim[l], me);
#ifdef BUG
        int round = 0;
        while (above(me, l) && atomic_load(&victim[l]) == me && round++ < 1)
#else
        while (above(me, l) && atomic_load(&victim[l]) == me)
#endif
            ;
    }
}

static void unlock(int me)
{
    atomic_store(&level[me], 0);
}

static void *worker(void *argument)
{
    int me = (int)(intptr_t)argument;
    lock(me);
    total += me;
    unlock(me);
    return NULL;
}

int main(void)
{
    pthread_t t[N];
    for (int i = 0; i < N; i++)
        pthread_create(&t[i], NULL, worker, (void *)(intptr_t)i);
    for (int i = 0; i < N; i++)
        pthread_join(t[i], NULL);
    return (int)total;
}
