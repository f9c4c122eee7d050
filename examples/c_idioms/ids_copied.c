// Ids of threads are copied to a list of those to be joined, and joined from there.
//
// expect races: SAFE

#include <pthread.h>
#include <stdlib.h>

#define MOST 4

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int hits;

struct joins {
    pthread_t ids[MOST];
    int count;
};

static void *visit(void *unused)
{
    pthread_mutex_lock(&lock);
    hits++;
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void joins_add(struct joins *j, pthread_t id)
{
    j->ids[j->count] = id;
    j->count++;
}

static void joins_wait(struct joins *j)
{
    for (int i = 0; i < j->count; i++)
        pthread_join(j->ids[i], NULL);
    j->count = 0;
}

int main(void)
{
    pthread_t threads[MOST];
    struct joins joins;
    joins.count = 0;
    for (int i = 0; i < MOST; i++) {
        if (pthread_create(&threads[i], NULL, visit, NULL) != 0)
            abort();
        joins_add(&joins, threads[i]);
    }
    joins_wait(&joins);
    return hits == MOST ? 0 : 1;
}
