// The bug: the next job is read before the lock is taken; two workers may do the same job. The
// correct program is thread_pool.c.
//
// expect assertions: UNSAFE
// expect races: UNSAFE
// expect deadlocks: SAFE
// expect mutex: SAFE

#include <assert.h>
#include <pthread.h>

#define JOBS 3

static int next_job;
static int done[JOBS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *unused)
{
    for (;;) {
        int job = next_job;
        pthread_mutex_lock(&lock);
        if (job < JOBS)
            next_job = job + 1;
        else
            job = -1;
        pthread_mutex_unlock(&lock);
        if (job < 0)
            return NULL;
        done[job]++;
    }
}

int main(void)
{
    pthread_t first, second;
    pthread_create(&first, NULL, work, NULL);
    pthread_create(&second, NULL, work, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    for (int i = 0; i < JOBS; i++)
        assert(done[i] == 1);
    return 0;
}
