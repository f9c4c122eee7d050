// The bug: a user is counted after it began to use the object. The correct program is counted_object.c.
//
// expect assertions: UNSAFE

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct object {
    pthread_mutex_t lock;
    unsigned long users;
};

static struct object *shared;

static void *work(void *argument)
{
    struct object *mine = shared;
    pthread_mutex_lock(&mine->lock);
    pthread_mutex_unlock(&mine->lock);
    pthread_mutex_lock(&mine->lock);
    assert(mine->users > 0);
    pthread_mutex_unlock(&mine->lock);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    shared = malloc(sizeof *shared);
    pthread_mutex_init(&shared->lock, NULL);
    shared->users = 0;
    for (int i = 0; i < 10000; i++)
        pthread_create(&thread, NULL, work, NULL);
    return 0;
}
