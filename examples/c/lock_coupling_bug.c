// The bug: the next cell is changed under the lock of the one before. The correct program is
// lock_coupling.c.
//
// expect assertions: UNSAFE
// expect races: UNSAFE
// expect deadlocks: SAFE
// expect mutex: SAFE

#include <assert.h>
#include <pthread.h>

struct cell {
    pthread_mutex_t lock;
    int value;
    struct cell *next;
};

static struct cell last = { PTHREAD_MUTEX_INITIALIZER, 0, NULL };
static struct cell first = { PTHREAD_MUTEX_INITIALIZER, 0, &last };

static void *work(void *unused)
{
    struct cell *at = &first;
    pthread_mutex_lock(&at->lock);
    while (at) {
        at->value++;
        struct cell *next = at->next;
        pthread_mutex_unlock(&at->lock);
        if (next)
            next->value++;
        break;
    }
    return NULL;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, work, NULL);
    pthread_create(&two, NULL, work, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    assert(first.value == 2 && last.value == 2);
    return 0;
}
