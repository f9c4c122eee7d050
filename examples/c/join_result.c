// Main reads what a thread has written after it has joined it.
//
// expect assertions: SAFE
// expect races: SAFE
// expect deadlocks: SAFE
// expect mutex: SAFE

#include <assert.h>
#include <pthread.h>

static int result;

static void *work(void *argument)
{
    result = *(int *)argument + 1;
    return &result;
}

int main(void)
{
    int input = 4;
    void *output;
    pthread_t worker;
    pthread_create(&worker, NULL, work, &input);
    pthread_join(worker, &output);
    assert(*(int *)output == 5);
    return 0;
}
