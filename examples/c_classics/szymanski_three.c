// Szymanski's algorithm for three threads; with BUG nobody waits for those with smaller numbers.
//
// expect assertions: SAFE
// expect -D BUG assertions: UNSAFE

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#define N 3
static atomic_int flag[N];
static int counter;

static void *worker(void *argument)
{
    int me = (int)(intptr_t)argument;
    atomic_store(&flag[me], 1);
    for (int i = 0; i < N; i++)
        while (atomic_load(&flag[i]) > 2)
            ;
    atomic_store(&flag[me], 3);
    int someone = 0;
    for (int i = 0; i < N; i++)
        if (atomic_load(&flag[i]) == 1)
            someone = 1;
    if (someone) {
        atomic_store(&flag[me], 2);
        int open = 0;
        while (!open)
            for (int i = 0; i < N; i++)
                if (atomic_load(&flag[i]) == 4)
                    open = 1;
    }
    atomic_store(&flag[me], 4);
#ifndef BUG
    for (int i = 0; i < me; i++)
        while (atomic_load(&flag[i]) > 1)
            ;
#endif
    counter = me;
    assert(counter == me);
    for (int i = me + 1; i < N; i++)
        while ((1 << atomic_load(&flag[i])) & 12)
            ;
    atomic_store(&flag[me], 0);
    return NULL;
}

int main(void)
{
    pthread_t t[N];
    for (int i = 0; i < N; i++)
        pthread_create(&t[i], NULL, worker, (void *)(intptr_t)i);
    for (int i = 0; i < N; i++)
        pthread_join(t[i], NULL);
    return 0;
}
