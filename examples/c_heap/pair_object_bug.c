// The bug: the second number is changed after the lock is released. The correct program is pair_object.c.
//
// expect assertions: UNSAFE

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct pair {
    pthread_mutex_t lock;
    int one;
    int two;
};

static struct pair *shared;

static void *work(void *argument)
{
    pthread_mutex_lock(&shared->lock);
    assert(shared->one == shared->two);
    shared->one++;
    pthread_mutex_unlock(&shared->lock);
    shared->two++;
    return NULL;
}

int main(void)
{
    pthread_t thread;
    shared = malloc(sizeof *shared);
    pthread_mutex_init(&shared->lock, NULL);
    shared->one = 0;
    shared->two = 0;
    while (1)
        pthread_create(&thread, NULL, work, NULL);
}
