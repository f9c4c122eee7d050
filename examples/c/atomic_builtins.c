// Two threads reserve places with GCC's __atomic builtins; each place is taken once.
//
// expect assertions: SAFE
// expect races: SAFE
// expect deadlocks: SAFE
// expect mutex: SAFE

#include <assert.h>
#include <pthread.h>

static int next;
static int taken[2];

static void *work(void *unused)
{
    int mine = __atomic_fetch_add(&next, 1, __ATOMIC_RELAXED);
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
