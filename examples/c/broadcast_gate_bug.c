// The bug: only one of the two is woken; the other waits forever. The correct program is
// broadcast_gate.c.
//
// expect assertions: SAFE
// expect races: SAFE
// expect deadlocks: UNSAFE
// expect mutex: SAFE

#include <assert.h>
#include <pthread.h>

static int open, passed;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t opened = PTHREAD_COND_INITIALIZER;

static void *visit(void *unused)
{
    pthread_mutex_lock(&lock);
    while (!open)
        pthread_cond_wait(&opened, &lock);
    passed++;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t first, second;
    pthread_create(&first, NULL, visit, NULL);
    pthread_create(&second, NULL, visit, NULL);
    pthread_mutex_lock(&lock);
    open = 1;
    pthread_cond_signal(&opened);
    pthread_mutex_unlock(&lock);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    assert(passed == 2);
    return 0;
}
