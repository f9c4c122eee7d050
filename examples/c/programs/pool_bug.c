// The thread pool of pool.c, whose workers count what they have done before they take the lock again.
//
// expect assertions: SAFE
// expect races: UNSAFE
// expect mutex: SAFE

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEFAULT_WORKERS 4
#define MAX_WORKERS 64

typedef void (*job_function)(void *argument);

struct job {
    job_function run;
    void *argument;
    struct job *next;
};

struct pool {
    pthread_mutex_t lock;
    pthread_cond_t work;   /* there is a job, or the pool stops */
    pthread_cond_t idle;   /* no job waits and none is running */
    struct job *head;
    struct job *tail;
    unsigned waiting;      /* jobs in the list */
    unsigned running;      /* jobs taken and not finished */
    unsigned long done;    /* jobs finished since the start */
    bool stopping;
    unsigned workers;
    pthread_t *threads;
};

static void die(const char *what, int error)
{
    fprintf(stderr, "pool: %s: %s\n", what, strerror(error));
    exit(EXIT_FAILURE);
}

static void *allocate(size_t size)
{
    void *memory = malloc(size);
    if (memory == NULL)
        die("malloc", ENOMEM);
    return memory;
}

static void pool_lock(struct pool *pool)
{
    int error = pthread_mutex_lock(&pool->lock);
    if (error != 0)
        die("pthread_mutex_lock", error);
}

static void pool_unlock(struct pool *pool)
{
    int error = pthread_mutex_unlock(&pool->lock);
    if (error != 0)
        die("pthread_mutex_unlock", error);
}

/* The first job of the list, or NULL; the caller has the lock. */
static struct job *pool_take(struct pool *pool)
{
    struct job *job = pool->head;
    if (job == NULL)
        return NULL;
    pool->head = job->next;
    if (pool->head == NULL)
        pool->tail = NULL;
    pool->waiting--;
    pool->running++;
    return job;
}

static void *pool_worker(void *argument)
{
    struct pool *pool = argument;

    pool_lock(pool);
    for (;;) {
        struct job *job;
        while ((job = pool_take(pool)) == NULL && !pool->stopping)
            pthread_cond_wait(&pool->work, &pool->lock);
        if (job == NULL)
            break;
        pool_unlock(pool);

        job->run(job->argument);
        free(job);

        pool->done++;
        pool_lock(pool);
        pool->running--;
        if (pool->running == 0 && pool->head == NULL)
            pthread_cond_broadcast(&pool->idle);
    }
    pool_unlock(pool);
    return NULL;
}

static struct pool *pool_create(unsigned workers)
{
    struct pool *pool = allocate(sizeof *pool);
    int error;

    memset(pool, 0, sizeof *pool);
    if ((error = pthread_mutex_init(&pool->lock, NULL)) != 0)
        die("pthread_mutex_init", error);
    if ((error = pthread_cond_init(&pool->work, NULL)) != 0)
        die("pthread_cond_init", error);
    if ((error = pthread_cond_init(&pool->idle, NULL)) != 0)
        die("pthread_cond_init", error);
    pool->workers = workers;
    pool->threads = allocate(workers * sizeof *pool->threads);
    for (unsigned i = 0; i < workers; i++) {
        error = pthread_create(&pool->threads[i], NULL, pool_worker, pool);
        if (error != 0)
            die("pthread_create", error);
    }
    return pool;
}

static void pool_submit(struct pool *pool, job_function run, void *argument)
{
    struct job *job = allocate(sizeof *job);

    job->run = run;
    job->argument = argument;
    job->next = NULL;
    pool_lock(pool);
    if (pool->tail == NULL)
        pool->head = job;
    else
        pool->tail->next = job;
    pool->tail = job;
    pool->waiting++;
    pthread_cond_signal(&pool->work);
    pool_unlock(pool);
}

/* Waits until no job is left; returns how many there were since the start. */
static unsigned long pool_wait(struct pool *pool)
{
    unsigned long done;

    pool_lock(pool);
    while (pool->head != NULL || pool->running > 0)
        pthread_cond_wait(&pool->idle, &pool->lock);
    done = pool->done;
    pool_unlock(pool);
    return done;
}

static void pool_destroy(struct pool *pool)
{
    pool_lock(pool);
    pool->stopping = true;
    pthread_cond_broadcast(&pool->work);
    pool_unlock(pool);
    for (unsigned i = 0; i < pool->workers; i++)
        pthread_join(pool->threads[i], NULL);
    assert(pool->stopping);
    pthread_cond_destroy(&pool->idle);
    pthread_cond_destroy(&pool->work);
    pthread_mutex_destroy(&pool->lock);
    free(pool->threads);
    free(pool);
}

/* What the jobs do: they count the lines of files, and add up. */

static struct {
    pthread_mutex_t lock;
    unsigned long lines;
    unsigned long failures;
} total = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void count_lines(void *argument)
{
    const char *name = argument;
    unsigned long lines = 0;
    bool failed = false;
    int c;

    FILE *file = fopen(name, "r");
    if (file == NULL) {
        fprintf(stderr, "pool: cannot open %s\n", name);
        failed = true;
    } else {
        while ((c = fgetc(file)) != EOF)
            if (c == '\n')
                lines++;
        fclose(file);
    }
    pthread_mutex_lock(&total.lock);
    total.lines += lines;
    if (failed)
        total.failures++;
    pthread_mutex_unlock(&total.lock);
}

static void usage(const char *program)
{
    fprintf(stderr, "usage: %s [-w workers] file...\n", program);
    exit(EXIT_FAILURE);
}

int main(int argc, char **argv)
{
    long workers = DEFAULT_WORKERS;
    int option;

    while ((option = getopt(argc, argv, "w:")) != -1) {
        switch (option) {
        case 'w':
            workers = strtol(optarg, NULL, 10);
            if (workers < 1 || workers > MAX_WORKERS)
                usage(argv[0]);
            break;
        default:
            usage(argv[0]);
        }
    }
    if (optind >= argc)
        usage(argv[0]);

    struct pool *pool = pool_create((unsigned)workers);
    for (int i = optind; i < argc; i++)
        pool_submit(pool, count_lines, argv[i]);
    unsigned long done = pool_wait(pool);

    pthread_mutex_lock(&total.lock);
    printf("%lu files, %lu lines, %lu failures\n", done, total.lines, total.failures);
    int status = total.failures > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
    pthread_mutex_unlock(&total.lock);
    pool_destroy(pool);
    return status;
}
