// The bug: the test is outside of the lock and not repeated inside; both threads may make one. The
// correct program is lazy_init.c.
//
// expect assertions: UNSAFE
// expect races: UNSAFE
// expect deadlocks: SAFE
// expect mutex: SAFE

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static int *shared;
static int made;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int *get(void)
{
    if (!shared) {
        pthread_mutex_lock(&lock);
        int *fresh = malloc(sizeof *fresh);
        if (!fresh)
            exit(1);
        *fresh = 3;
        made++;
        shared = fresh;
        pthread_mutex_unlock(&lock);
    }
    return shared;
}

static void *work(void *unused)
{
    assert(*get() == 3);
    return NULL;
}

int main(void)
{
    pthread_t first, second;
    pthread_create(&first, NULL, work, NULL);
    pthread_create(&second, NULL, work, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    assert(made == 1);
    return 0;
}
