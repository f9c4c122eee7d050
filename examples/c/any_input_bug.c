// The bug: three threads may choose the same slot. The correct program is any_input.c.
//
// expect assertions: UNSAFE
// expect races: SAFE
// expect deadlocks: SAFE
// expect mutex: SAFE

#include <assert.h>
#include <pthread.h>

extern _Bool __VERIFIER_nondet_bool(void);

#define SLOTS 2

static int slots[SLOTS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *unused)
{
    int slot = __VERIFIER_nondet_bool();
    pthread_mutex_lock(&lock);
    slots[slot]++;
    assert(slots[slot] <= 2);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t first, second, third;
    pthread_create(&first, NULL, work, NULL);
    pthread_create(&second, NULL, work, NULL);
    pthread_create(&third, NULL, work, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    pthread_join(third, NULL);
    assert(slots[0] >= 0);
    return 0;
}
