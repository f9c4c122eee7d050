// Any number of threads, ids and jobs on the heap: each thread works on its own job, but main reads it too early.
//
// expect races: UNSAFE

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct job {
    int low, high;
    long sum;
};

static void *work(void *argument)
{
    struct job *job = argument;
    job->sum = job->low + job->high;
    return NULL;
}

int main(void)
{
    int count = __VERIFIER_nondet_int();
    if (count < 1 || count > 1000)
        return 1;
    pthread_t *threads = malloc(count * sizeof *threads);
    struct job *jobs = malloc(count * sizeof *jobs);
    for (int i = 0; i < count; i++) {
        jobs[i].low = i;
        jobs[i].high = i + 1;
        jobs[i].sum = 0;
        pthread_create(&threads[i], NULL, work, &jobs[i]);
    }
    long total = 0;
    for (int i = 0; i < count; i++) {
        total += jobs[i].sum;
        pthread_join(threads[i], NULL);
    }
    printf("%ld\n", total);
    free(threads);
    free(jobs);
    return 0;
}
