// Workers take the number of the next job under a lock and write its result without one.
//
// expect races: SAFE

#include <pthread.h>
#include <stdlib.h>

#define JOBS 6
#define WORKERS 2

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int next_job;
static int input[JOBS];
static int output[JOBS];

static int take(void)
{
    pthread_mutex_lock(&lock);
    int job = next_job++;
    pthread_mutex_unlock(&lock);
    return job;
}

static void *worker(void *unused)
{
    int job;
    while ((job = take()) < JOBS)
        output[job] = input[job] * input[job];
    return NULL;
}

int main(void)
{
    pthread_t threads[WORKERS];
    int sum = 0;
    for (int i = 0; i < JOBS; i++)
        input[i] = i;
    for (int i = 0; i < WORKERS; i++)
        if (pthread_create(&threads[i], NULL, worker, NULL) != 0)
            abort();
    for (int i = 0; i < WORKERS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < JOBS; i++)
        sum += output[i];
    return sum == 55 ? 0 : 1;
}
