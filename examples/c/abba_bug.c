// The bug: main takes the locks in the other order: each thread may hold what the other one needs.
// The correct program is abba.c.
//
// expect assertions: SAFE
// expect races: SAFE
// expect deadlocks: UNSAFE
// expect mutex: SAFE

#include <assert.h>
#include <pthread.h>

static int left = 1, right = 2;
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t b = PTHREAD_MUTEX_INITIALIZER;

static void *exchange(void *unused)
{
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b);
    int kept = left;
    left = right;
    right = kept;
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    return NULL;
}

int main(void)
{
    pthread_t other;
    pthread_create(&other, NULL, exchange, NULL);
    pthread_mutex_lock(&b);
    pthread_mutex_lock(&a);
    assert(left + right == 3);
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    pthread_join(other, NULL);
    return 0;
}
