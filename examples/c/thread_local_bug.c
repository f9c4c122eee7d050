// The bug: the variable is shared. The correct program is thread_local.c.
//
// expect assertions: UNSAFE
// expect races: UNSAFE
// expect deadlocks: SAFE
// expect mutex: SAFE

#include <assert.h>
#include <pthread.h>

static int counter;

static void *work(void *unused)
{
    for (int i = 0; i < 2; i++)
        counter++;
    assert(counter == 2);
    return NULL;
}

int main(void)
{
    pthread_t first, second;
    pthread_create(&first, NULL, work, NULL);
    pthread_create(&second, NULL, work, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    assert(counter == 0);
    return 0;
}
