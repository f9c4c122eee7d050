// The statistics of percpu.c, summed up without taking the locks.
//
// expect races: UNSAFE

#include <inttypes.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define WORKERS 4

struct counters {
    uint64_t requests;
    uint64_t errors;
    uint64_t bytes;
    uint64_t latency_max;
};

struct shard {
    pthread_spinlock_t lock;
    struct counters c;
} __attribute__((aligned(64)));

static struct shard shards[WORKERS];
static pthread_mutex_t run_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t run_cond = PTHREAD_COND_INITIALIZER;
static int finished;

static void account(int cpu, uint64_t bytes, uint64_t latency, int failed)
{
    struct shard *s = &shards[cpu];

    pthread_spin_lock(&s->lock);
    s->c.requests++;
    s->c.bytes += bytes;
    if (failed)
        s->c.errors++;
    if (latency > s->c.latency_max)
        s->c.latency_max = latency;
    pthread_spin_unlock(&s->lock);
}

static struct counters sum(void)
{
    struct counters total;

    memset(&total, 0, sizeof total);
    for (int i = 0; i < WORKERS; i++) {
        struct counters one;

        one = shards[i].c;
        total.requests += one.requests;
        total.errors += one.errors;
        total.bytes += one.bytes;
        if (one.latency_max > total.latency_max)
            total.latency_max = one.latency_max;
    }
    return total;
}

static void *worker(void *arg)
{
    int cpu = (int)(intptr_t)arg;
    struct timespec a, b;

    for (int i = 0; i < 300; i++) {
        uint64_t ns;

        clock_gettime(CLOCK_MONOTONIC, &a);
        if (i % 7 == 0)
            usleep(1);
        clock_gettime(CLOCK_MONOTONIC, &b);
        ns = (uint64_t)(b.tv_sec - a.tv_sec) * 1000000000u + (uint64_t)(b.tv_nsec - a.tv_nsec);
        account(cpu, (uint64_t)i * 100, ns, i % 50 == 0);
    }
    return NULL;
}

static void *reporter(void *unused)
{
    int stop = 0;

    (void)unused;
    while (!stop) {
        struct counters t = sum();
        struct timespec until;

        printf("%" PRIu64 " requests, %" PRIu64 " errors\n", t.requests, t.errors);
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_sec += 1;
        pthread_mutex_lock(&run_lock);
        if (!finished)
            pthread_cond_timedwait(&run_cond, &run_lock, &until);
        stop = finished;
        pthread_mutex_unlock(&run_lock);
    }
    return NULL;
}

int main(void)
{
    pthread_t w[WORKERS], r;
    struct counters last;

    for (int i = 0; i < WORKERS; i++)
        pthread_spin_init(&shards[i].lock, PTHREAD_PROCESS_PRIVATE);
    if (pthread_create(&r, NULL, reporter, NULL))
        return 1;
    for (int i = 0; i < WORKERS; i++)
        if (pthread_create(&w[i], NULL, worker, (void *)(intptr_t)i))
            exit(1);
    for (int i = 0; i < WORKERS; i++)
        pthread_join(w[i], NULL);
    pthread_mutex_lock(&run_lock);
    finished = 1;
    pthread_cond_signal(&run_cond);
    pthread_mutex_unlock(&run_lock);
    pthread_join(r, NULL);
    last = sum();
    printf("%" PRIu64 " bytes in %" PRIu64 " requests\n", last.bytes, last.requests);
    return 0;
}
