// A pool remembers how many threads it could start, and joins that many. Wrong here: the last
// thread is not joined: the count is one less.
//
// expect races: UNSAFE

#include <pthread.h>
#include <stdlib.h>

struct pool {
    pthread_t *threads;
    int nthreads;
    pthread_mutex_t lock;
    long served;
};

static void *serve(void *argument)
{
    struct pool *pool = argument;
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&pool->lock);
        pool->served++;
        pthread_mutex_unlock(&pool->lock);
    }
    return NULL;
}

static struct pool *pool_new(int wanted)
{
    struct pool *pool = malloc(sizeof *pool);
    if (!pool)
        return NULL;
    pool->threads = calloc(wanted, sizeof *pool->threads);
    if (!pool->threads) {
        free(pool);
        return NULL;
    }
    pool->nthreads = 0;
    pool->served = 0;
    pthread_mutex_init(&pool->lock, NULL);
    for (int i = 0; i < wanted; i++) {
        if (pthread_create(&pool->threads[i], NULL, serve, pool) != 0)
            break;
        pool->nthreads++;
    }
    return pool;
}

static long pool_stop(struct pool *pool)
{
    for (int i = 0; i < pool->nthreads - 1; i++)
        pthread_join(pool->threads[i], NULL);
    long served = pool->served;
    pthread_mutex_destroy(&pool->lock);
    free(pool->threads);
    free(pool);
    return served;
}

int main(int argc, char **argv)
{
    int wanted = argc > 1 ? atoi(argv[1]) : 4;
    if (wanted < 1)
        wanted = 1;
    struct pool *pool = pool_new(wanted);
    if (!pool)
        return 1;
    return pool_stop(pool) > 0 ? 0 : 1;
}
