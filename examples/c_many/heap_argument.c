// Each thread gets an object of its own from the heap.
//
// expect assertions: SAFE
// expect races: SAFE

#include <assert.h>
#include <pthread.h>

#include <stdlib.h>

struct job {
    int from, to;
};

static void *work(void *argument)
{
    struct job *job = argument;
    job->to = job->from + 1;
    assert(job->to == job->from + 1);
    free(job);
    return NULL;
}

int main(void)
{
    for (int i = 0; i < 10000; i++) {
        pthread_t thread;
        struct job *job = malloc(sizeof *job);
        job->from = i;
        pthread_create(&thread, NULL, work, job);
    }
    return 0;
}
