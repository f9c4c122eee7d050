// The bug: all threads get the same object. The correct program is heap_argument.c.
//
// expect assertions: UNSAFE
// expect races: UNSAFE

#include <assert.h>
#include <pthread.h>

#include <stdlib.h>

struct job {
    int from, to;
};

static void *work(void *argument)
{
    struct job *job = argument;
    job->from = job->from + 2;
    job->to = job->from + 1;
    assert(job->to == job->from + 1);
    return NULL;
}

int main(void)
{
    struct job *job = malloc(sizeof *job);
    job->from = 0;
    for (int i = 0; i < 10000; i++) {
        pthread_t thread;
        pthread_create(&thread, NULL, work, job);
    }
    return 0;
}
