// Two phases with a barrier between: each reads its neighbour's cell in the second; with BUG there is no barrier for one.
//
// expect races: SAFE
// expect -D BUG races: UNSAFE

#include <pthread.h>
#include <stdint.h>

#define N 3
static pthread_barrier_t barrier;
static int first[N], second[N];

static void *worker(void *argument)
{
    int me = (int)(intptr_t)argument;
    first[me] = me + 1;
#ifdef BUG
    if (me != 2)
#endif
        pthread_barrier_wait(&barrier);
    second[me] = first[(me + 1) % N];
    return NULL;
}

int main(void)
{
    pthread_t t[N];
#ifdef BUG
    pthread_barrier_init(&barrier, NULL, N - 1);
#else
    pthread_barrier_init(&barrier, NULL, N);
#endif
    for (int i = 0; i < N; i++)
        pthread_create(&t[i], NULL, worker, (void *)(intptr_t)i);
    for (int i = 0; i < N; i++)
        pthread_join(t[i], NULL);
    return second[0];
}
