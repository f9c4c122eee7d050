// A pool with a queue of jobs and a flag that says it is closing, both under its lock. Wrong here:
// a worker looks at the flag without the lock after each job.
//
// expect races: UNSAFE

#include <pthread.h>
#include <stdlib.h>

struct job {
    void (*run)(void *);
    void *argument;
    struct job *next;
};

struct pool {
    pthread_mutex_t lock;
    pthread_cond_t wake;
    struct job *first, *last;
    int done;
    int executed;
    int threads;
    pthread_t *ids;
};

static void *work(void *argument)
{
    struct pool *pool = argument;
    pthread_mutex_lock(&pool->lock);
    for (;;) {
        while (!pool->first && !pool->done)
            pthread_cond_wait(&pool->wake, &pool->lock);
        if (!pool->first)
            break;
        struct job *job = pool->first;
        pool->first = job->next;
        if (!pool->first)
            pool->last = NULL;
        pool->executed++;
        pthread_mutex_unlock(&pool->lock);
        job->run(job->argument);
        free(job);
        if (pool->done > 1)
            return NULL;
        pthread_mutex_lock(&pool->lock);
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

static int pool_submit(struct pool *pool, void (*run)(void *), void *argument)
{
    struct job *job = malloc(sizeof *job);
    if (!job)
        return -1;
    job->run = run;
    job->argument = argument;
    job->next = NULL;
    pthread_mutex_lock(&pool->lock);
    if (pool->last)
        pool->last->next = job;
    else
        pool->first = job;
    pool->last = job;
    pthread_cond_signal(&pool->wake);
    pthread_mutex_unlock(&pool->lock);
    return 0;
}

static struct pool *pool_open(int threads)
{
    struct pool *pool = calloc(1, sizeof *pool);
    if (!pool)
        abort();
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->wake, NULL);
    pool->threads = threads;
    pool->ids = calloc(threads, sizeof *pool->ids);
    if (!pool->ids)
        abort();
    for (int i = 0; i < threads; i++)
        if (pthread_create(&pool->ids[i], NULL, work, pool) != 0)
            abort();
    return pool;
}

static void pool_close(struct pool *pool)
{
    pthread_mutex_lock(&pool->lock);
    pool->done = 1;
    pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->lock);
    for (int i = 0; i < pool->threads; i++)
        pthread_join(pool->ids[i], NULL);
    free(pool->ids);
    free(pool);
}

static pthread_mutex_t count_lock = PTHREAD_MUTEX_INITIALIZER;
static int counted;

static void count(void *by)
{
    pthread_mutex_lock(&count_lock);
    counted += (int)(long)by;
    pthread_mutex_unlock(&count_lock);
}

int main(void)
{
    struct pool *pool = pool_open(2);
    for (long i = 1; i <= 3; i++)
        pool_submit(pool, count, (void *)i);
    pool_close(pool);
    return counted == 6 ? 0 : 1;
}
