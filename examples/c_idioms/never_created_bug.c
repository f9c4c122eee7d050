// A thread that is started only if there is an option which no call sets.
// Wrong here: it is set.
//
// expect races: UNSAFE

#include <pthread.h>
#include <stdlib.h>

static int watch = 1;
static int events;

static void *watcher(void *unused)
{
    events++;
    return NULL;
}

static void *worker(void *unused)
{
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    if (watch && pthread_create(&threads[0], NULL, watcher, NULL) != 0)
        abort();
    if (pthread_create(&threads[1], NULL, worker, NULL) != 0)
        abort();
    events++;
    pthread_join(threads[1], NULL);
    return events;
}
