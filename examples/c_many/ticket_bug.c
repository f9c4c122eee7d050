// The bug: tickets have two bits, so that the fifth thread gets the ticket of the first.
// The correct program is ticket.c.
//
// expect assertions: UNSAFE
// expect races: UNSAFE

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_uint next_ticket;
static atomic_uint serving;
static int inside;

static void *work(void *argument)
{
    unsigned mine = atomic_fetch_add(&next_ticket, 1) % 4;
    while (atomic_load(&serving) % 4 != mine)
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
