// An array grows by realloc under a lock; with RACY: an element is written without.
//
// expect races: SAFE
// expect -D RACY races: UNSAFE

#include <pthread.h>
#include <stdlib.h>
static int *items;
static size_t used, room;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int push(int v)
{
    pthread_mutex_lock(&m);
    if (used == room) {
        size_t more = room ? 2 * room : 4;
        int *p = realloc(items, more * sizeof *items);
        if (!p) {
            pthread_mutex_unlock(&m);
            return -1;
        }
        items = p;
        room = more;
    }
    items[used++] = v;
    pthread_mutex_unlock(&m);
    return 0;
}
static void *worker(void *arg)
{
    for (int i = 0; i < 10; i++)
        push(i);
#ifdef RACY
    if (used > 0)
        items[0] = 9;
#endif
    return arg;
}
int main(void)
{
    pthread_t s, t;
    pthread_create(&s, 0, worker, 0);
    pthread_create(&t, 0, worker, 0);
    pthread_join(s, 0);
    pthread_join(t, 0);
    free(items);
    return (int)used;
}
