// A pool of threads takes jobs by number and fills one result each; main reads after the joins; with BUG before.
//
// expect races: SAFE
// expect -D BUG races: UNSAFE

#include <pthread.h>

#define JOBS 16
#define THREADS 4

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int next_job;
static int results[JOBS];

static int take(void)
{
    pthread_mutex_lock(&lock);
    int job = next_job < JOBS ? next_job++ : -1;
    pthread_mutex_unlock(&lock);
    return job;
}

static void *worker(void *argument)
{
    int job;
    while ((job = take()) >= 0)
        results[job] = job * job;
    return argument;
}

int main(void)
{
    pthread_t t[THREADS];
    int sum = 0;
    for (int i = 0; i < THREADS; i++)
        pthread_create(&t[i], NULL, worker, NULL);
#ifdef BUG
    sum += results[JOBS - 1];
#endif
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    for (int i = 0; i < JOBS; i++)
        sum += results[i];
    return sum;
}
