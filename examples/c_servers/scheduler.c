// A job scheduler: jobs with a time when they are due in a heap, a timer thread that waits for the first of them
// with pthread_cond_timedwait, and runners to which it hands the jobs that are due. Jobs may repeat and be cancelled.

#define _POSIX_C_SOURCE 200809L
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define HEAP_SIZE 128
#define RUNNERS 3
#define MILLISECOND 1000000L
#define SECOND 1000000000L

typedef void (*action)(void *argument);

struct job {
    struct timespec due;
    long period; /* in milliseconds; 0: once */
    unsigned id;
    action run;
    void *argument;
    struct job *next; /* in the list of ready jobs */
};

struct scheduler {
    pthread_mutex_t lock;
    pthread_cond_t heap_changed; /* the timer waits for it */
    pthread_cond_t ready_changed; /* the runners wait for it */
    struct job *heap[HEAP_SIZE];
    unsigned size;
    struct job *ready_first;
    struct job **ready_last;
    unsigned next_id;
    unsigned long runs;
    bool stopping;
    pthread_t timer;
    pthread_t runners[RUNNERS];
};

static bool earlier(const struct timespec *a, const struct timespec *b)
{
    if (a->tv_sec != b->tv_sec)
        return a->tv_sec < b->tv_sec;
    return a->tv_nsec < b->tv_nsec;
}

static void add_milliseconds(struct timespec *time, long milliseconds)
{
    time->tv_sec += milliseconds / 1000;
    time->tv_nsec += milliseconds % 1000 * MILLISECOND;
    if (time->tv_nsec >= SECOND) {
        time->tv_sec++;
        time->tv_nsec -= SECOND;
    }
}

/* The functions on the heap are called with the lock. */

static void heap_swap(struct scheduler *s, unsigned i, unsigned j)
{
    struct job *job = s->heap[i];
    s->heap[i] = s->heap[j];
    s->heap[j] = job;
}

static void heap_down(struct scheduler *s, unsigned i)
{
    for (;;) {
        unsigned least = i;
        unsigned left = 2 * i + 1, right = 2 * i + 2;
        if (left < s->size && earlier(&s->heap[left]->due, &s->heap[least]->due))
            least = left;
        if (right < s->size && earlier(&s->heap[right]->due, &s->heap[least]->due))
            least = right;
        if (least == i)
            return;
        heap_swap(s, i, least);
        i = least;
    }
}

static void heap_up(struct scheduler *s, unsigned i)
{
    while (i > 0 && earlier(&s->heap[i]->due, &s->heap[(i - 1) / 2]->due)) {
        heap_swap(s, i, (i - 1) / 2);
        i = (i - 1) / 2;
    }
}

static bool heap_insert(struct scheduler *s, struct job *job)
{
    if (s->size == HEAP_SIZE)
        return false;
    s->heap[s->size] = job;
    heap_up(s, s->size++);
    return true;
}

static struct job *heap_remove(struct scheduler *s, unsigned i)
{
    struct job *job = s->heap[i];
    s->size--;
    if (i < s->size) {
        s->heap[i] = s->heap[s->size];
        heap_down(s, i);
        heap_up(s, i);
    }
    return job;
}

static void *timer(void *argument)
{
    struct scheduler *s = argument;

    pthread_mutex_lock(&s->lock);
    while (!s->stopping) {
        if (s->size == 0) {
            pthread_cond_wait(&s->heap_changed, &s->lock);
            continue;
        }
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        if (earlier(&now, &s->heap[0]->due)) {
            struct timespec due = s->heap[0]->due;
            int error = pthread_cond_timedwait(&s->heap_changed, &s->lock, &due);
            assert(error == 0 || error == ETIMEDOUT || error == EINTR);
            (void)error;
            continue;
        }
        struct job *job = heap_remove(s, 0);
        job->next = NULL;
        *s->ready_last = job;
        s->ready_last = &job->next;
        pthread_cond_signal(&s->ready_changed);
    }
    pthread_cond_broadcast(&s->ready_changed);
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

/* The job goes back to the heap or ends; the caller has the lock. */
static void finish(struct scheduler *s, struct job *job)
{
    s->runs++;
    if (job->period > 0 && !s->stopping) {
        add_milliseconds(&job->due, job->period);
        if (heap_insert(s, job)) {
            pthread_cond_signal(&s->heap_changed);
            return;
        }
    }
    free(job);
}

static void *runner(void *argument)
{
    struct scheduler *s = argument;

    pthread_mutex_lock(&s->lock);
    for (;;) {
        while (s->ready_first == NULL && !s->stopping)
            pthread_cond_wait(&s->ready_changed, &s->lock);
        struct job *job = s->ready_first;
        if (job == NULL)
            break;
        s->ready_first = job->next;
        if (s->ready_first == NULL)
            s->ready_last = &s->ready_first;
        pthread_mutex_unlock(&s->lock);
        job->run(job->argument);
        pthread_mutex_lock(&s->lock);
        finish(s, job);
    }
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

/* Returns the number of the job, or 0 if there is no room for it. */
static unsigned schedule(struct scheduler *s, long delay, long period, action run, void *argument)
{
    struct job *job = calloc(1, sizeof *job);
    unsigned id = 0;

    if (job == NULL)
        return 0;
    clock_gettime(CLOCK_MONOTONIC, &job->due);
    add_milliseconds(&job->due, delay);
    job->period = period;
    job->run = run;
    job->argument = argument;
    pthread_mutex_lock(&s->lock);
    job->id = s->next_id;
    if (!s->stopping && heap_insert(s, job)) {
        id = s->next_id++;
        pthread_cond_signal(&s->heap_changed);
    }
    pthread_mutex_unlock(&s->lock);
    if (id == 0)
        free(job);
    return id;
}

/* Takes a job out that is not due yet. */
static bool cancel(struct scheduler *s, unsigned id)
{
    struct job *found = NULL;

    pthread_mutex_lock(&s->lock);
    for (unsigned i = 0; i < s->size && found == NULL; i++)
        if (s->heap[i]->id == id)
            found = heap_remove(s, i);
    pthread_cond_signal(&s->heap_changed);
    pthread_mutex_unlock(&s->lock);
    free(found);
    return found != NULL;
}

static void start(struct scheduler *s)
{
    pthread_condattr_t attributes;

    memset(s, 0, sizeof *s);
    s->ready_last = &s->ready_first;
    s->next_id = 1;
    pthread_mutex_init(&s->lock, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&s->heap_changed, &attributes);
    pthread_condattr_destroy(&attributes);
    pthread_cond_init(&s->ready_changed, NULL);
    if (pthread_create(&s->timer, NULL, timer, s) != 0)
        abort();
    for (int i = 0; i < RUNNERS; i++)
        if (pthread_create(&s->runners[i], NULL, runner, s) != 0)
            abort();
}

static unsigned long stop(struct scheduler *s)
{
    pthread_mutex_lock(&s->lock);
    s->stopping = true;
    pthread_cond_broadcast(&s->heap_changed);
    pthread_cond_broadcast(&s->ready_changed);
    pthread_mutex_unlock(&s->lock);
    pthread_join(s->timer, NULL);
    for (int i = 0; i < RUNNERS; i++)
        pthread_join(s->runners[i], NULL);
    while (s->size > 0)
        free(heap_remove(s, 0));
    pthread_cond_destroy(&s->ready_changed);
    pthread_cond_destroy(&s->heap_changed);
    pthread_mutex_destroy(&s->lock);
    return s->runs;
}

/* The jobs: counters that tick. */

struct ticker {
    pthread_mutex_t lock;
    unsigned ticks;
    const char *name;
};

static void tick(void *argument)
{
    struct ticker *ticker = argument;
    pthread_mutex_lock(&ticker->lock);
    ticker->ticks++;
    pthread_mutex_unlock(&ticker->lock);
}

int main(void)
{
    static struct ticker fast = {.lock = PTHREAD_MUTEX_INITIALIZER, .name = "fast"};
    static struct ticker slow = {.lock = PTHREAD_MUTEX_INITIALIZER, .name = "slow"};
    static struct scheduler scheduler;
    struct timespec while_running = {.tv_nsec = 300 * MILLISECOND};

    start(&scheduler);
    schedule(&scheduler, 5, 10, tick, &fast);
    schedule(&scheduler, 20, 50, tick, &slow);
    unsigned never = schedule(&scheduler, 100000, 0, tick, &slow);
    nanosleep(&while_running, NULL);
    if (never == 0 || !cancel(&scheduler, never))
        fprintf(stderr, "scheduler: job %u is not there\n", never);
    unsigned long runs = stop(&scheduler);
    printf("%lu runs: %s %u, %s %u\n", runs, fast.name, fast.ticks, slow.name, slow.ticks);
    return EXIT_SUCCESS;
}
