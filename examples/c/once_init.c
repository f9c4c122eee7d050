// Whoever comes first initialises; the others wait for it.
//
// expect assertions: SAFE
// expect races: SAFE
// expect deadlocks: SAFE
// expect mutex: SAFE

#include <assert.h>
#include <pthread.h>

static int value, calls;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void initialise(void)
{
    calls++;
    value = 5;
}

static void *work(void *unused)
{
    pthread_once(&once, initialise);
    assert(value == 5);
    return NULL;
}

int main(void)
{
    pthread_t first, second;
    pthread_create(&first, NULL, work, NULL);
    pthread_create(&second, NULL, work, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    assert(calls == 1);
    return 0;
}
