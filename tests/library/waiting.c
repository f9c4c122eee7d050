// Waiting for time has no effect; whatever can happen meanwhile can happen without, too.
//
// expect assertions: SAFE
// expect -D EARLY assertions: UNSAFE

#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

static atomic_int done;

static void *work(void *unused)
{
    atomic_store(&done, 1);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    struct timespec duration = { 1, 0 };
    struct sched_param parameters = { 1 };
    cpu_set_t set;
    pthread_create(&thread, NULL, work, NULL);
    assert(sleep(10) == 0 && usleep(10) == 0 && sched_yield() == 0);
    assert(nanosleep(&duration, NULL) == 0);
    assert(clock_nanosleep(CLOCK_MONOTONIC, 0, &duration, NULL) == 0);
#ifdef EARLY
    assert(atomic_load(&done));
#endif
    sched_get_priority_max(SCHED_FIFO);
    sched_get_priority_min(SCHED_FIFO);
    int set_scheduler = sched_setscheduler(0, SCHED_RR, &parameters);
    assert(set_scheduler == 0 || set_scheduler == -1);
    assert(sched_setaffinity(0, sizeof set, &set) == 0);
    getpagesize();
    pthread_join(thread, NULL);
    return 0;
}
