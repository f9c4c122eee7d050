// The bug: one side is changed with the lock of the other. The correct program is two_banks.c.
//
// expect assertions: UNSAFE
// expect races: UNSAFE

#include <assert.h>
#include <pthread.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t b = PTHREAD_MUTEX_INITIALIZER;
static int left_total = 10, left_free = 10;
static int right_total = 10, right_free = 10;

static void *move(void *argument)
{
    pthread_mutex_lock(&a);
    left_total--;
    left_free--;
    right_total++;
    right_free++;
    pthread_mutex_unlock(&a);
    return NULL;
}

static void *look(void *argument)
{
    pthread_mutex_lock(&a);
    assert(left_total == left_free);
    pthread_mutex_unlock(&a);
    pthread_mutex_lock(&b);
    assert(right_total == right_free);
    pthread_mutex_unlock(&b);
    return NULL;
}

int main(void)
{
    while (1) {
        pthread_t thread;
        pthread_create(&thread, NULL, move, NULL);
        pthread_create(&thread, NULL, look, NULL);
    }
}
