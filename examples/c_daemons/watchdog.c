// A watchdog: workers feed it by atomics, it counts those that are silent; rounds and restarts are under a lock.
//
// expect races: SAFE

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MAX 8
#define SILENT 3

struct worker {
    pthread_t thread;
    int id;
    _Atomic int64_t last_fed;
    atomic_int stop;
    unsigned restarts;
    unsigned long rounds;
};

static struct worker workers[MAX];
static int nworkers;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int watching = 1;

static int64_t seconds(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return ts.tv_sec;
}

static void *worker_main(void *arg)
{
    struct worker *w = arg;

    while (!atomic_load(&w->stop)) {
        atomic_store(&w->last_fed, seconds());
        pthread_mutex_lock(&m);
        w->rounds++;
        pthread_mutex_unlock(&m);
        usleep(1000);
    }
    return NULL;
}

static int start(struct worker *w)
{
    atomic_store(&w->stop, 0);
    atomic_store(&w->last_fed, seconds());
    return pthread_create(&w->thread, NULL, worker_main, w);
}

static void *watch(void *unused)
{
    int go = 1;

    (void)unused;
    while (go) {
        for (int i = 0; i < nworkers; i++) {
            struct worker *w = &workers[i];

            if (seconds() - atomic_load(&w->last_fed) > SILENT) {
                pthread_mutex_lock(&m);
                w->restarts++;
                pthread_mutex_unlock(&m);
            }
        }
        usleep(500);
        pthread_mutex_lock(&m);
        go = watching;
        pthread_mutex_unlock(&m);
    }
    return NULL;
}

static void report(void)
{
    pthread_mutex_lock(&m);
    for (int i = 0; i < nworkers; i++)
        printf("worker %d: %lu rounds, %u restarts\n", workers[i].id, workers[i].rounds, workers[i].restarts);
    pthread_mutex_unlock(&m);
}

int main(int argc, char **argv)
{
    pthread_t dog;
    int i;

    nworkers = argc > 1 ? atoi(argv[1]) : 3;
    if (nworkers < 1 || nworkers > MAX)
        nworkers = MAX;
    for (i = 0; i < nworkers; i++) {
        workers[i].id = i;
        if (start(&workers[i]) != 0) {
            fprintf(stderr, "cannot start worker %d\n", i);
            exit(EXIT_FAILURE);
        }
    }
    if (pthread_create(&dog, NULL, watch, NULL) != 0)
        exit(EXIT_FAILURE);
    for (i = 0; i < 3; i++) {
        usleep(10000);
        report();
    }
    for (i = 0; i < nworkers; i++)
        atomic_store(&workers[i].stop, 1);
    for (i = 0; i < nworkers; i++)
        pthread_join(workers[i].thread, NULL);
    pthread_mutex_lock(&m);
    watching = 0;
    pthread_mutex_unlock(&m);
    pthread_join(dog, NULL);
    return 0;
}
