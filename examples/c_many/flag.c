// Ten thousand threads take turns by a flag that is tested and set in one step.
//
// expect assertions: SAFE
// expect races: SAFE

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int busy;
static int inside;

static void *work(void *argument)
{
    while (atomic_exchange(&busy, 1))
        ;
    inside = inside + 1;
    assert(inside == 1);
    inside = inside - 1;
    atomic_store(&busy, 0);
    return NULL;
}

int main(void)
{
    pthread_t threads[10000];
    for (int i = 0; i < 10000; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    return 0;
}
