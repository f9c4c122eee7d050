// The bug: the look is outside the lock. The correct program is struct_argument.c.
//
// expect assertions: UNSAFE
// expect races: UNSAFE

#include <assert.h>
#include <pthread.h>

struct account {
    pthread_mutex_t lock;
    int balance;
    int total;
};

static struct account account = { PTHREAD_MUTEX_INITIALIZER, 0, 0 };

static void *work(void *argument)
{
    struct account *mine = argument;
    pthread_mutex_lock(&mine->lock);
    mine->balance++;
    mine->total++;
    pthread_mutex_unlock(&mine->lock);
    assert(mine->balance == mine->total);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    for (int i = 0; i < 10000; i++)
        pthread_create(&thread, NULL, work, &account);
    return 0;
}
