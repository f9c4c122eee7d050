// All threads get the address of one structure with its lock inside.
//
// expect assertions: SAFE
// expect races: SAFE

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
    assert(mine->balance == mine->total);
    pthread_mutex_unlock(&mine->lock);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    for (int i = 0; i < 10000; i++)
        pthread_create(&thread, NULL, work, &account);
    return 0;
}
