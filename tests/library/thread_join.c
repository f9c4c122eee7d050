// Joining waits for the end and fetches the result.
//
// expect assertions: SAFE
// expect deadlocks: SAFE
// expect races: SAFE

#include <assert.h>
#include <errno.h>
#include <pthread.h>

static int shared;

static void *work(void *argument)
{
    shared++;
    if (!argument)
        pthread_exit(&shared);
    return argument;
}

int main(void)
{
    void *result;
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    assert(pthread_join(thread, &result) == 0);
    assert(result == &shared && shared == 1);
    pthread_create(&thread, NULL, work, &thread);
    assert(pthread_join(thread, &result) == 0);
    assert(result == &thread && shared == 2);
    assert(pthread_join(pthread_self(), NULL) == EDEADLK);
    return 0;
}
