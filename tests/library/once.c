// The routine runs once, and nobody goes on before it has returned.
//
// expect assertions: SAFE
// expect races: SAFE
// expect deadlocks: SAFE
// expect -D NESTED deadlocks: UNSAFE

#include <assert.h>
#include <errno.h>
#include <pthread.h>

static int calls;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void routine(void)
{
#ifdef NESTED
    pthread_once(&once, routine);
#endif
    calls++;
}

static void *work(void *unused)
{
    assert(pthread_once(&once, routine) == 0);
    assert(calls == 1);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    work(NULL);
    pthread_join(thread, NULL);
    return 0;
}
