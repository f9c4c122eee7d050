// The bug: the place is read and advanced in two steps, so both threads can get the same one. The
// correct program is atomic_builtins.c.
//
// expect assertions: UNSAFE
// expect races: UNSAFE
// expect deadlocks: SAFE
// expect mutex: SAFE

#include <assert.h>
#include <pthread.h>

static int next;
static int taken[2];

static void *work(void *unused)
{
    int mine = __atomic_load_n(&next, __ATOMIC_SEQ_CST);
    __atomic_store_n(&next, mine + 1, __ATOMIC_SEQ_CST);
    taken[mine]++;
    return NULL;
}

int main(void)
{
    pthread_t first, second;
    pthread_create(&first, NULL, work, NULL);
    pthread_create(&second, NULL, work, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    assert(taken[0] == 1 && taken[1] == 1);
    return 0;
}
