// The bug: what is taken is read before the lock is taken. The correct program is transfer.c.
//
// expect assertions: UNSAFE

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct account {
    int balance;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct account *from, *to;

static void *work(void *argument)
{
    for (int i = 0; i < 3; i++) {
        int left = from->balance - 1;
        pthread_mutex_lock(&lock);
        from->balance = left;
        to->balance = to->balance + 1;
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    from = malloc(sizeof *from);
    to = malloc(sizeof *to);
    from->balance = 100;
    to->balance = 0;
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, work, NULL);
    pthread_mutex_lock(&lock);
    assert(from->balance + to->balance == 100);
    pthread_mutex_unlock(&lock);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(from->balance + to->balance == 100);
    return 0;
}
