// The bug: the second barrier is missing, so a thread may read a place that was not exchanged yet.
// The correct program is barrier_rounds.c.
//
// expect assertions: UNSAFE
// expect races: UNSAFE
// expect deadlocks: SAFE
// expect mutex: SAFE

#include <assert.h>
#include <pthread.h>

static int place[2] = { 10, 20 };
static pthread_barrier_t barrier;

static void *work(void *argument)
{
    int me = *(int *)argument;
    for (int round = 0; round < 2; round++) {
        int seen = place[1 - me];
        pthread_barrier_wait(&barrier);
        place[me] = seen;
    }
    assert(place[me] == 10 * me + 10);
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    int numbers[2] = { 0, 1 };
    pthread_barrier_init(&barrier, NULL, 2);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, &numbers[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
