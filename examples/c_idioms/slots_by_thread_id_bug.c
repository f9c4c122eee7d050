// A thread finds its slot by looking for its id in a table that was filled before it was let go.
// Wrong here: who does not find itself uses the first slot.
//
// expect races: UNSAFE

#include <pthread.h>
#include <stdlib.h>

#define THREADS 2

static pthread_t ids[THREADS];
static int depth[THREADS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int slot(void)
{
    pthread_t me = pthread_self();
    int found = 0;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < THREADS; i++)
        if (pthread_equal(ids[i], me))
            found = i;
    pthread_mutex_unlock(&lock);
    return found;
}

static void *nest(void *unused)
{
    int me = slot();
    if (me < 0)
        return NULL;
    depth[me]++;
    depth[me]++;
    depth[me]--;
    return NULL;
}

int main(void)
{
    int sum = 0;
    for (int i = 0; i < THREADS; i++) {
        pthread_t id;
        if (pthread_create(&id, NULL, nest, NULL) != 0)
            abort();
        pthread_mutex_lock(&lock);
        ids[i] = id;
        pthread_mutex_unlock(&lock);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(ids[i], NULL);
    for (int i = 0; i < THREADS; i++)
        sum += depth[i];
    return sum == THREADS ? 0 : 1;
}
