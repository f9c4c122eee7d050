// A cell is replaced through a pointer to a pointer; with RACY: and written after it was published.
//
// expect races: SAFE
// expect -D RACY races: UNSAFE

#include <pthread.h>
#include <stdlib.h>
static int *cell;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void replace(int **where, int v)
{
    int *fresh = malloc(sizeof *fresh);
    if (!fresh)
        return;
    *fresh = v;
    pthread_mutex_lock(&m);
    int *old = *where;
    *where = fresh;
    pthread_mutex_unlock(&m);
#ifdef RACY
    *fresh = v + 1;
#endif
    free(old);
}
static void *worker(void *arg) { replace(&cell, 1); return arg; }
int main(void)
{
    pthread_t s, t;
    pthread_create(&s, 0, worker, 0);
    pthread_create(&t, 0, worker, 0);
    pthread_mutex_lock(&m);
    int seen = cell ? *cell : 0;
    pthread_mutex_unlock(&m);
    pthread_join(s, 0);
    pthread_join(t, 0);
    free(cell);
    return seen;
}
