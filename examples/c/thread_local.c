// Each thread counts in a variable of its own.
//
// expect assertions: SAFE
// expect races: SAFE
// expect deadlocks: SAFE
// expect mutex: SAFE

#include <assert.h>
#include <pthread.h>

static _Thread_local int counter;

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
