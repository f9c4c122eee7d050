// The bug: main does not wait. The correct program is join_result.c.
//
// expect assertions: UNSAFE
// expect races: UNSAFE
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
    output = &result;
    assert(*(int *)output == 5);
    pthread_join(worker, &output);
    return 0;
}
