// One function for all threads, which dispatches on its number: one writes, the others read after a flag; with BUG thread 2 writes too.
//
// expect races: SAFE
// expect -D BUG races: UNSAFE

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#define N 4
static atomic_int ready;
static int value;

static void *worker(void *argument)
{
    int me = (int)(intptr_t)argument;
    switch (me) {
    case 0:
        value = 5;
        atomic_store(&ready, 1);
        break;
#ifdef BUG
    case 2:
        value = 6;
        break;
#endif
    default:
        while (!atomic_load(&ready))
            ;
        return (void *)(intptr_t)value;
    }
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
