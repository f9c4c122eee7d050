// Workers fetch the numbers of jobs from a queue under a lock, until there are none.
//
// expect assertions: SAFE
// expect races: SAFE
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
        pthread_mutex_lock(&lock);
        int job = next_job < JOBS ? next_job++ : -1;
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
