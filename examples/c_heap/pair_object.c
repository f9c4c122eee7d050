// Two numbers in an object on the heap are equal whenever its lock is free; any number of threads.
//
// expect assertions: SAFE

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
    shared->two++;
    pthread_mutex_unlock(&shared->lock);
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
