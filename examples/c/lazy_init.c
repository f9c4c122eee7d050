// A shared object is made when it is first needed, under a lock.
//
// expect assertions: SAFE
// expect races: SAFE
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
    pthread_mutex_lock(&lock);
    if (!shared) {
        int *fresh = malloc(sizeof *fresh);
        if (!fresh)
            exit(1);
        *fresh = 3;
        made++;
        shared = fresh;
    }
    int *result = shared;
    pthread_mutex_unlock(&lock);
    return result;
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
