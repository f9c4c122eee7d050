// Each thread writes its part, waits at the barrier, and reads the other's part.
//
// expect assertions: SAFE
// expect races: SAFE
// expect deadlocks: SAFE
// expect mutex: SAFE

#include <assert.h>
#include <pthread.h>

static int part[2];
static pthread_barrier_t written;

static void *work(void *argument)
{
    int me = *(int *)argument;
    part[me] = 1;
    pthread_barrier_wait(&written);
    assert(part[1 - me] == 1);
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    int numbers[2] = { 0, 1 };
    pthread_barrier_init(&written, NULL, 2);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, &numbers[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    pthread_barrier_destroy(&written);
    return 0;
}
