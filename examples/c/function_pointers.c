// The work of each thread is a function pointer in its argument.
//
// expect assertions: SAFE
// expect races: SAFE
// expect deadlocks: SAFE
// expect mutex: SAFE

#include <assert.h>
#include <pthread.h>

struct job {
    void (*run)(int *);
    int *target;
};

static int evens, odds;

static void by_one(int *target) { *target += 1; }
static void by_two(int *target) { *target += 2; }

static void *work(void *argument)
{
    struct job *job = argument;
    job->run(job->target);
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    struct job jobs[2] = { { by_one, &odds }, { by_two, &evens } };
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, &jobs[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(odds == 1 && evens == 2);
    return 0;
}
