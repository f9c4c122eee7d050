// A scheduler: a heap of jobs by time and priority, a timer that moves those that are due to a queue, workers.
//
// expect races: SAFE

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define MAX_JOBS 64
#define WORKERS 3

typedef void (*job_fn)(long);

struct job {
    long due;
    int priority;
    long arg;
    job_fn fn;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_cond_t runnable = PTHREAD_COND_INITIALIZER;
static struct job heap[MAX_JOBS];
static int heap_size;
static struct job queue[MAX_JOBS];
static int q_head, q_count;
static bool stopping;
static unsigned long executed;

static pthread_mutex_t out_lock = PTHREAD_MUTEX_INITIALIZER;
static long out_sum;

static bool before(const struct job *a, const struct job *b)
{
    if (a->due != b->due)
        return a->due < b->due;
    return a->priority > b->priority;
}

static void swap_jobs(int i, int j)
{
    struct job t = heap[i];

    heap[i] = heap[j];
    heap[j] = t;
}

/* The caller has the lock. */
static void heap_push(const struct job *j)
{
    int i = heap_size++;

    heap[i] = *j;
    while (i > 0 && before(&heap[i], &heap[(i - 1) / 2])) {
        swap_jobs(i, (i - 1) / 2);
        i = (i - 1) / 2;
    }
}

static struct job heap_pop(void)
{
    struct job top = heap[0];
    int i = 0;

    heap[0] = heap[--heap_size];
    for (;;) {
        int least = i, l = 2 * i + 1, r = 2 * i + 2;

        if (l < heap_size && before(&heap[l], &heap[least]))
            least = l;
        if (r < heap_size && before(&heap[r], &heap[least]))
            least = r;
        if (least == i)
            break;
        swap_jobs(i, least);
        i = least;
    }
    return top;
}

static bool schedule(long due, int priority, job_fn fn, long arg)
{
    struct job j = {.due = due, .priority = priority, .arg = arg, .fn = fn};
    bool ok = false;

    pthread_mutex_lock(&lock);
    if (heap_size < MAX_JOBS && !stopping) {
        heap_push(&j);
        pthread_cond_signal(&changed);
        ok = true;
    }
    pthread_mutex_unlock(&lock);
    return ok;
}

static void *timer(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    while (!stopping) {
        if (heap_size == 0) {
            pthread_cond_wait(&changed, &lock);
            continue;
        }
        long now = (long)time(NULL);
        if (heap[0].due > now) {
            struct timespec until = {.tv_sec = heap[0].due, .tv_nsec = 0};

            pthread_cond_timedwait(&changed, &lock, &until);
            continue;
        }
        if (q_count == MAX_JOBS) {
            pthread_cond_wait(&changed, &lock);
            continue;
        }
        queue[(q_head + q_count) % MAX_JOBS] = heap_pop();
        q_count++;
        pthread_cond_signal(&runnable);
    }
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *work(void *unused)
{
    (void)unused;
    for (;;) {
        struct job j;

        pthread_mutex_lock(&lock);
        while (q_count == 0 && !stopping)
            pthread_cond_wait(&runnable, &lock);
        if (q_count == 0) {
            pthread_mutex_unlock(&lock);
            return NULL;
        }
        j = queue[q_head];
        q_head = (q_head + 1) % MAX_JOBS;
        q_count--;
        executed++;
        pthread_cond_signal(&changed);
        pthread_mutex_unlock(&lock);
        j.fn(j.arg);
    }
}

static void add(long x)
{
    pthread_mutex_lock(&out_lock);
    out_sum += x;
    pthread_mutex_unlock(&out_lock);
}

static void again(long x)
{
    if (x > 0)
        schedule((long)time(NULL) + 1, 0, again, x - 1);
    add(1);
}

int main(void)
{
    pthread_t t, w[WORKERS];

    if (pthread_create(&t, NULL, timer, NULL) != 0)
        return 1;
    for (int i = 0; i < WORKERS; i++)
        if (pthread_create(&w[i], NULL, work, NULL) != 0)
            abort();
    for (int i = 0; i < 20; i++)
        if (!schedule((long)time(NULL) + i % 3, i % 5, i % 2 ? add : again, i))
            fprintf(stderr, "job %d dropped\n", i);
    sleep(5);
    pthread_mutex_lock(&lock);
    stopping = true;
    pthread_cond_broadcast(&changed);
    pthread_cond_broadcast(&runnable);
    pthread_mutex_unlock(&lock);
    pthread_join(t, NULL);
    for (int i = 0; i < WORKERS; i++)
        pthread_join(w[i], NULL);
    printf("%lu jobs, sum %ld\n", executed, out_sum);
    return 0;
}
