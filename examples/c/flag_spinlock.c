// A spin lock made of atomic_flag.
//
// expect assertions: SAFE
// expect races: SAFE
// expect deadlocks: SAFE
// expect mutex: SAFE

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_flag busy = ATOMIC_FLAG_INIT;
static int inside;

static void *work(void *unused)
{
    while (atomic_flag_test_and_set(&busy))
        ;
    inside++;
    assert(inside == 1);
    inside--;
    atomic_flag_clear(&busy);
    return NULL;
}

int main(void)
{
    pthread_t first, second;
    pthread_create(&first, NULL, work, NULL);
    pthread_create(&second, NULL, work, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    assert(inside == 0);
    return 0;
}
