// A ticket lock among any number of threads.
//
// expect assertions: SAFE
// expect races: SAFE

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_uint next_ticket;
static atomic_uint serving;
static int inside;

static void *work(void *argument)
{
    unsigned mine = atomic_fetch_add(&next_ticket, 1);
    while (atomic_load(&serving) != mine)
        ;
    inside = 1;
    assert(inside == 1);
    inside = 0;
    atomic_fetch_add(&serving, 1);
    return NULL;
}

int main(void)
{
    for (int i = 0; i < 10000; i++) {
        pthread_t thread;
        pthread_create(&thread, NULL, work, NULL);
    }
    return 0;
}
