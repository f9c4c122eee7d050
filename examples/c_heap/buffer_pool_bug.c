// The bug: a buffer goes back while it is still used. The correct program is buffer_pool.c.
//
// expect assertions: UNSAFE

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct buffer {
    int users;
    struct buffer *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct buffer *pool;

static struct buffer *take(void)
{
    pthread_mutex_lock(&lock);
    struct buffer *got = pool;
    if (got != NULL)
        pool = got->next;
    pthread_mutex_unlock(&lock);
    return got;
}

static void give(struct buffer *back)
{
    pthread_mutex_lock(&lock);
    back->next = pool;
    pool = back;
    pthread_mutex_unlock(&lock);
}

static void *work(void *argument)
{
    struct buffer *mine = take();
    if (mine == NULL)
        return NULL;
    mine->users++;
    assert(mine->users == 1);
    give(mine);
    mine->users--;
    return NULL;
}

int main(void)
{
    pthread_t thread;
    for (int i = 0; i < 4; i++) {
        struct buffer *fresh = malloc(sizeof *fresh);
        fresh->users = 0;
        give(fresh);
    }
    while (1)
        pthread_create(&thread, NULL, work, NULL);
}
