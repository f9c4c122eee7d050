// The bug: all threads get the address of the loop variable, which main goes on changing. The
// correct program is threads_in_loop.c.
//
// expect assertions: UNSAFE
// expect races: UNSAFE
// expect deadlocks: SAFE
// expect mutex: SAFE

#include <assert.h>
#include <pthread.h>

#define THREADS 2

static int seen[THREADS + 1];

static void *work(void *argument)
{
    int me = *(int *)argument;
    seen[me]++;
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    int i;
    for (i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, &i);
    for (i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (i = 0; i < THREADS; i++)
        assert(seen[i] == 1);
    return 0;
}
